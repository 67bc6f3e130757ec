// SPDX-License-Identifier: GPL-2.0-or-later
// LINKTYPE_ values (tcpdump.org/linktypes.html).
#pragma once

#include <cstdint>

namespace iscsiscope {

enum LinkType : std::uint32_t {
    link_null = 0,
    link_ethernet = 1,
    link_raw_bsd = 12, // DLT_RAW of most systems; some writers put it into files
    link_raw_openbsd = 14,
    link_raw = 101,
    link_loop = 108,
    link_linux_sll = 113,
    link_ipv4 = 228,
    link_ipv6 = 229,
    link_linux_sll2 = 276,
};

} // namespace iscsiscope
