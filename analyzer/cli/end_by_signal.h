// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/report/output_file.h"

#include <atomic>
#include <thread>

namespace iscsiscope::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP remove the unfinished files and then end the program as
// they would have done without it. A thread waits for them, so that nothing has to be done inside a
// signal handler. Make it before any other thread.
class EndBySignal {
public:
    explicit EndBySignal(UnfinishedFiles &);
    ~EndBySignal();
    EndBySignal(const EndBySignal &) = delete;
    EndBySignal &operator=(const EndBySignal &) = delete;

private:
    void wait();

    UnfinishedFiles &unfinished_;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

} // namespace iscsiscope::cli
