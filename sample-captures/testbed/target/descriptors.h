// SPDX-License-Identifier: GPL-2.0-or-later
// The process's file descriptors: how many connections may have one, and one in reserve.
#pragma once

#include "sample-captures/testbed/common/file_descriptor.h"

#include <cstddef>

namespace iscsiscope::testbed {

// Connections that may be open at once: what RLIMIT_NOFILE leaves beside the descriptors that are open now
// and some in reserve, at most 2048.
std::size_t max_open_connections();

// A descriptor that is given up for a moment to take a connection off the listener's queue where there is no
// other: the connection is closed at once, and the listener is not ready again and again because of it.
class ReserveDescriptor {
public:
    ReserveDescriptor();
    // Accepts one connection of this listener and closes it. False: not even that was possible.
    bool turn_away(int listener);

private:
    shim::FileDescriptor reserve_;
};

} // namespace iscsiscope::testbed
