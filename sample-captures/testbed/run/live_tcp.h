// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/common/file_descriptor.h"
#include "sample-captures/testbed/net/carriers/namespaces.h"

#include <cstdint>
#include <vector>

namespace iscsiscope::testbed::run {

// What the kernel reports of the TCP connections of each host, for progress while a run goes on. Asked
// through sock_diag(7); the truth comes from the programs themselves, not from here.
class LiveTcp {
public:
    // Without the kernel's help (no sock_diag) there are no figures, which is no failure.
    explicit LiveTcp(const std::vector<shim::NetNamespace> &spaces);

    // By host: congestion windows of its established connections, bytes, added up; 0: none, or not known.
    std::vector<std::uint64_t> cwnd_bytes();

private:
    std::vector<shim::FileDescriptor> sockets_; // by host
};

} // namespace iscsiscope::testbed::run
