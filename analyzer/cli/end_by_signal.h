// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/report/output_file.h"

#include <atomic>
#include <thread>

namespace iscsiscope::cli {

// As long as the object lives, SIGINT, SIGTERM, SIGHUP and each other signal by which others end a program
// remove the unfinished output files and then end it by the signal's default action. A thread waits for the
// signals, so that no code runs in a signal handler. The first SIGINT while a pipe is read (standard input,
// as a rule) ends the reading of the pipe instead. The object must be created before any other thread, and
// only one. The same is done if memory runs out where no exception may leave: the JSON library allocates in
// destructors. The program then ends with a message and exit_error.
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
