// SPDX-License-Identifier: GPL-2.0-or-later
// Runs work in a pool of threads, outside the thread of the windows.
#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <atomic>
#include <memory>
#include <utility>

namespace iscsiscope::gui {

using StopFlag = std::shared_ptr<std::atomic<bool>>;

// The pool of all of the program's work; main() waits for it before the application ends.
QThreadPool &workers();

// Runs work(stop) in the pool, then done(result) in the receiver's thread, unless the receiver has been
// destroyed or the flag has been set. It is called in the receiver's thread, which is the application's.
template <class Work, class Done>
void runInBackground(QObject *receiver, const StopFlag &stop, Work work, Done done) {
    workers().start([guard = QPointer<QObject>(receiver), stop, work = std::move(work),
                     done = std::move(done)]() mutable {
        using Result = decltype(work(*stop));
        auto result = std::make_shared<Result>(work(*stop));
        QMetaObject::invokeMethod(
            qApp,
            [guard, stop, done = std::move(done), result]() mutable {
                if (guard && !*stop)
                    done(std::move(*result));
            },
            Qt::QueuedConnection);
    });
}

// Runs one job at a time: a new job stops the one before, whose result is dropped.
class LatestJob {
public:
    ~LatestJob() { stop(); }
    template <class Work, class Done>
    void run(QObject *receiver, Work work, Done done) {
        stop();
        flag_ = std::make_shared<std::atomic<bool>>(false);
        runInBackground(receiver, flag_, std::move(work),
                        [this, done = std::move(done)](auto &&result) mutable {
                            flag_.reset();
                            done(std::forward<decltype(result)>(result));
                        });
    }
    void stop() {
        if (flag_) {
            *flag_ = true;
            flag_.reset();
        }
    }
    bool running() const { return flag_ != nullptr; }

private:
    StopFlag flag_;
};

// Frees a large object in the pool, so that the windows do not wait for it.
template <class T>
void discard(std::shared_ptr<T> large) {
    if (large)
        workers().start([large = std::move(large)]() mutable { large.reset(); });
}

} // namespace iscsiscope::gui
