// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/packets/packet_edit.h"

#include <netinet/in.h>

namespace iscsiscope::testbed::shim {
namespace {

constexpr std::uint8_t tcp_syn = 0x02;
constexpr std::uint8_t option_end = 0;
constexpr std::uint8_t option_nop = 1;
constexpr std::uint8_t option_window_scale = 3;

std::uint32_t add_words(std::uint32_t sum, std::span<const std::uint8_t> bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        sum += i % 2 == 0 ? std::uint32_t{bytes[i]} << 8U : std::uint32_t{bytes[i]};
        sum = (sum & 0xffffU) + (sum >> 16U);
    }
    return sum;
}

} // namespace

std::uint16_t tcp_checksum_residue(std::span<const std::uint8_t> bytes, const PacketInfo &info) {
    const std::size_t length = info.ip_bytes - info.tcp_offset;
    std::uint32_t sum = add_words(0, bytes.subspan(12, 8)); // source and destination address
    sum += IPPROTO_TCP + static_cast<std::uint32_t>(length);
    sum = add_words((sum & 0xffffU) + (sum >> 16U), bytes.subspan(info.tcp_offset, length));
    return static_cast<std::uint16_t>(~sum & 0xffffU);
}

bool strip_window_scale(std::vector<std::uint8_t> &bytes, const PacketInfo &info) {
    if (!info.is_tcp() || (info.tcp_flags & tcp_syn) == 0 || bytes.size() < info.ip_bytes)
        return false;
    const std::size_t end = info.tcp_offset + static_cast<std::size_t>(bytes[info.tcp_offset + 12] >> 4U) * 4;
    std::size_t at = info.tcp_offset + tcp_header_min;
    bool changed = false;
    while (at < end && bytes[at] != option_end) {
        if (bytes[at] == option_nop) {
            ++at;
            continue;
        }
        if (at + 1 >= end || bytes[at + 1] < 2 || at + bytes[at + 1] > end)
            break;
        const std::size_t length = bytes[at + 1];
        if (bytes[at] == option_window_scale) {
            for (std::size_t i = 0; i < length; ++i)
                bytes[at + i] = option_nop;
            changed = true;
        }
        at += length;
    }
    if (changed) {
        const std::size_t field = info.tcp_offset + 16;
        bytes[field] = bytes[field + 1] = 0;
        const std::uint16_t sum = tcp_checksum_residue(bytes, info);
        bytes[field] = static_cast<std::uint8_t>(sum >> 8U);
        bytes[field + 1] = static_cast<std::uint8_t>(sum & 0xffU);
    }
    return changed;
}

} // namespace iscsiscope::testbed::shim
