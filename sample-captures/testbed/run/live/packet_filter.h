// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/net/pcapng_writer.h"

#include <string>

namespace iscsiscope::testbed::run {

// A capture filter in libpcap's language (pcap-filter(7)), for captures of the given framing. A failure says
// what is wrong with the expression.
Result<shim::PacketFilter> compile_filter(const std::string &expression, shim::CaptureFraming framing);

} // namespace iscsiscope::testbed::run
