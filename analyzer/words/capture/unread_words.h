// SPDX-License-Identifier: GPL-2.0-or-later
// What of a capture cannot be read (RDMA, TLS, IPsec), in words.
#pragma once

#include <string>
#include <string_view>

namespace iscsiscope {

struct CaptureSummary;
struct UnreadTraffic;

// What it is and how much of it: "RoCE v2, RDMA over UDP: 12 packets".
std::string unread_words(const UnreadTraffic &);
// Returns why nothing of it is read, and how figures can be had, as sentences.
std::string_view unread_reason(const UnreadTraffic &);
// Returns "RoCE v2, RDMA over UDP: 12 packets; ..."; empty if there is nothing that cannot be read.
std::string unread_summary(const CaptureSummary &);

} // namespace iscsiscope
