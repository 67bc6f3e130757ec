// SPDX-License-Identifier: GPL-2.0-or-later
// iscsi://[user%secret@]host[:port][/iqn[/lun]], the form libiscsi and QEMU use.
#pragma once

#include "analyzer/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope::testbed::initiator {

struct TargetUrl {
    std::string user, secret; // empty: no CHAP
    std::string host;         // name or address, an IPv6 address without its brackets
    std::uint16_t port = 3260;
    std::string name; // target name; empty: discovery only
    std::uint64_t lun = 0;

    // For messages: never with the secret.
    std::string portal() const;
};

// The URL, or a sentence that says what is wrong with it.
Result<TargetUrl> parse_url(std::string_view text);

} // namespace iscsiscope::testbed::initiator
