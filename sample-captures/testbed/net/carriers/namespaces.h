// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/common/file_descriptor.h"

#include <functional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::shim {

// A network namespace, alive as long as this (or a process in it) is.
class NetNamespace {
public:
    // The namespace the calling thread is in.
    static Result<NetNamespace> current();
    // A new, empty one; the calling thread stays where it is.
    static Result<NetNamespace> create();

    // Runs `work` inside; the thread is back in its own namespace afterwards, or the process is not
    // to be trusted any more and the Failure says so.
    Status inside(const std::function<Status()> &work) const;
    int fd() const { return fd_.get(); }

private:
    explicit NetNamespace(FileDescriptor fd) : fd_(std::move(fd)) {}
    FileDescriptor fd_;
};

// Moves the process (it must have one thread only) into a private network: with the right to do so
// into a network namespace of its own, else into a user namespace, as its root, and a network
// namespace within. On failure the message says how to allow it. `force_user` takes the second way
// even with privilege.
Status enter_private_network(bool force_user);

// net.ipv4.tcp_sack style names; acts on the calling thread's network namespace.
Status write_sysctl(const std::string &name, const std::string &value);
bool sysctl_exists(const std::string &name);

} // namespace iscsiscope::testbed::shim
