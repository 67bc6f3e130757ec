// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/common/file_descriptor.h"

#include <csignal>
#include <string>

namespace iscsiscope::testbed::run {

// The stream that a live capture goes to: a FIFO, or "-" for standard output. A pipe is in non-blocking mode.
// Opening a FIFO waits until a program has opened it for reading, for at most half a minute. `stop`: blocked
// signals of which any ends the wait; the descriptor is not valid then. A terminal and a regular file named
// by its path are refused.
Result<shim::FileDescriptor> open_stream(const std::string &path, const sigset_t &stop);

} // namespace iscsiscope::testbed::run
