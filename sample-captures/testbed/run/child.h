// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/run/host_setup.h"

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace iscsiscope::testbed::run {

// One program of a scenario, running as a child process in its host's network namespace. The child
// dies with its parent, however that ends.
class Child {
public:
    // Starts this very program with `arguments` (sub-command first). Its standard output comes through
    // output_fd(), its standard error goes to the file `log_path`.
    static Result<Child> start(const std::vector<std::string> &arguments, const shim::NetNamespace &space,
                               const std::string &log_path);
    Child(Child &&other) noexcept;
    Child &operator=(Child &&) = delete;
    ~Child(); // kills what still runs and waits for it

    pid_t pid() const { return pid_; }
    int output_fd() const { return output_.get(); }
    bool running() const { return running_; }
    bool ready() const { return ready_; }
    // Empty while it runs; else "exit code 3" or "signal 9"; "" after a plain exit 0.
    const std::string &end() const { return end_; }
    const std::string &output() const { return text_; }
    // Once it has ended: how long its main thread stood ready and no processor was free for it. Empty where
    // the kernel does not say.
    std::optional<std::int64_t> waited_ns() const { return waited_ns_; }

    // Reads what is there; false at the end of the output.
    bool read_output();
    // Takes the child's end, if it has ended; true then.
    bool reap();
    void signal(int number) const;

private:
    Child(pid_t pid, shim::FileDescriptor output) : pid_(pid), output_(std::move(output)) {}

    pid_t pid_;
    shim::FileDescriptor output_;
    std::string text_;
    std::string end_;
    std::optional<std::int64_t> waited_ns_;
    bool running_ = true;
    bool ready_ = false; // a line of its output began with "ready"
};

// Prints the standard error of a program that has ended, from the file that it went to, on this program's.
void show_log(const std::string &log_path, const std::string &program);

} // namespace iscsiscope::testbed::run
