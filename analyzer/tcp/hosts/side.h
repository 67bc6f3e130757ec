// SPDX-License-Identifier: GPL-2.0-or-later
// Side: the ends of a TCP connection.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iscsiscope {

// The two ends of a connection. The opener sent the SYN; without a SYN in the capture it is the
// source of the first frame. The iscsi room finds out which of them is the iSCSI initiator.
enum class Side : std::uint8_t { opener = 0, acceptor = 1 };
constexpr Side other(Side s) {
    return s == Side::opener ? Side::acceptor : Side::opener;
}
constexpr std::size_t index(Side s) {
    return static_cast<std::size_t>(s);
}

} // namespace iscsiscope
