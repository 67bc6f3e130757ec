// SPDX-License-Identifier: GPL-2.0-or-later
// BatchQueue: batches on their way from one thread to another, in the order in which they were put. It does
// not own them.
#pragma once

#include "analyzer/pipeline/batch/batch.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

namespace iscsiscope {

class BatchQueue {
public:
    void put(Batch &);
    // Waits for a batch. Null: the queue was closed. Throws what fail() was given, behind the batches that
    // were put before.
    Batch *take();
    // Null: there is none now.
    Batch *take_if_any();
    // Nobody waits any more, and what is put is never taken.
    void close();
    // take() throws this once the batches that were put have been taken.
    void fail(std::exception_ptr);

private:
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<Batch *> batches_;
    std::exception_ptr error_;
    bool closed_ = false;
};

} // namespace iscsiscope
