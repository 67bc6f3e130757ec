// SPDX-License-Identifier: GPL-2.0-or-later
// SocketKnobs put on a socket.
#pragma once

#include "sample-captures/testbed/target/config/target_config.h"

#include <string>

namespace iscsiscope::testbed {

// Set on the listener before it listens (buffers then decide the window scale) and again on each
// connection, as not all of them are inherited. False with a sentence in error.
bool set_socket_options(int fd, const SocketKnobs &, std::string &error);

} // namespace iscsiscope::testbed
