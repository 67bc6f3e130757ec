// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes the TCP header and its options (RFC 9293 section 3.1, RFC 7323, RFC 2018) into a Segment.
#pragma once

#include "analyzer/capture/decode/packet_view.h"
#include "analyzer/capture/segment.h"

#include <algorithm>

namespace iscsiscope {

enum class TcpHeaderResult : std::uint8_t {
    good,
    too_short, // fewer than 20 bytes
    malformed, // the data offset is below 20 bytes or beyond the segment's end
};

// Decodes an options area of any layout. Options that the snap length cut off are left out.
void read_tcp_options(PacketView area, TcpOptions &);

// Fills ports, sequence and acknowledgment numbers, flags, window, options and payload from a view that
// begins at the TCP header. Options that the snap length cut off are left out; payload that it cut off is
// missing in `payload` but counted in `payload_length`.
inline TcpHeaderResult read_tcp_header(PacketView view, Segment &segment) {
    constexpr std::uint32_t fixed_header_size = 20;
    if (!view.has(fixed_header_size)) [[unlikely]]
        return TcpHeaderResult::too_short;
    const std::uint32_t header_size = (view.u8(12) >> 4) * 4U;
    if (header_size < fixed_header_size || header_size > view.wire) [[unlikely]]
        return TcpHeaderResult::malformed;
    segment.source.port = view.u16(0);
    segment.destination.port = view.u16(2);
    segment.sequence = view.u32(4);
    segment.acknowledgment = view.u32(8);
    segment.flags = view.u8(13);
    segment.window = view.u16(14);

    TcpOptions &options = segment.options; // sack[] is not cleared: sack_count limits its valid entries
    options.has_mss = options.has_window_scale = options.sack_permitted = false;
    options.window_scale = options.sack_count = 0;
    options.mss = 0;
    const std::uint32_t options_there = std::min(header_size, view.captured) - fixed_header_size;
    // The layout of nearly every segment of a connection with timestamps (RFC 7323 appendix A).
    constexpr std::uint32_t padded_timestamps = 0x0101080a;
    if (options_there == 12 && view.u32(20) == padded_timestamps) [[likely]] {
        options.has_timestamps = true;
        options.timestamp_value = view.u32(24);
        options.timestamp_echo = view.u32(28);
    } else {
        options.has_timestamps = false;
        options.timestamp_value = options.timestamp_echo = 0;
        if (options_there != 0)
            read_tcp_options({view.data + fixed_header_size, options_there, options_there}, options);
    }
    const PacketView payload = view.behind(header_size);
    segment.payload_length = payload.wire;
    segment.payload = {payload.data, payload.captured};
    segment.header = {view.data, std::min(header_size, view.captured)};
    return TcpHeaderResult::good;
}

} // namespace iscsiscope
