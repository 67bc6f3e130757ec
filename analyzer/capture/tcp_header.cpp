// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/tcp_header.h"

#include <algorithm>

namespace iscsiscope {

namespace {

constexpr std::uint32_t fixed_header_size = 20;

enum OptionKind : std::uint8_t {
    option_end = 0,
    option_no_operation = 1,
    option_mss = 2,
    option_window_scale = 3,
    option_sack_permitted = 4,
    option_sack = 5,
    option_timestamps = 8,
};

// Lengths count kind and length byte; an option of another length than its RFC's is ignored.
void read_option(std::uint8_t kind, PacketView option, TcpOptions &options) {
    switch (kind) {
    case option_mss:
        if (option.captured == 4) {
            options.has_mss = true;
            options.mss = option.u16(2);
        }
        break;
    case option_window_scale:
        if (option.captured == 3) {
            options.has_window_scale = true;
            options.window_scale = option.u8(2);
        }
        break;
    case option_sack_permitted:
        options.sack_permitted = options.sack_permitted || option.captured == 2;
        break;
    case option_sack:
        options.sack_count = 0;
        for (std::uint32_t at = 2; at + 8 <= option.captured && options.sack_count < options.sack.size();
             at += 8) {
            options.sack[options.sack_count++] = {option.u32(at), option.u32(at + 4)};
        }
        break;
    case option_timestamps:
        if (option.captured == 10) {
            options.has_timestamps = true;
            options.timestamp_value = option.u32(2);
            options.timestamp_echo = option.u32(6);
        }
        break;
    default:
        break;
    }
}

void read_options(PacketView area, TcpOptions &options) {
    while (area.captured != 0) {
        const std::uint8_t kind = area.u8(0);
        if (kind == option_end) {
            return;
        }
        std::uint32_t length = 1;
        if (kind != option_no_operation) {
            if (!area.has(2) || area.u8(1) < 2 || !area.has(area.u8(1))) {
                return; // the rest cannot be told apart
            }
            length = area.u8(1);
            read_option(kind, {area.data, length, length}, options);
        }
        area = area.behind(length);
    }
}

// No sack[]: sack_count says how many are valid.
void clear(TcpOptions &options) {
    options.has_timestamps = options.has_mss = options.has_window_scale = options.sack_permitted = false;
    options.window_scale = options.sack_count = 0;
    options.mss = 0;
    options.timestamp_value = options.timestamp_echo = 0;
}

} // namespace

TcpHeaderResult read_tcp_header(PacketView view, Segment &segment) {
    if (!view.has(fixed_header_size)) {
        return TcpHeaderResult::too_short;
    }
    const std::uint32_t header_size = (view.u8(12) >> 4) * 4U;
    if (header_size < fixed_header_size || header_size > view.wire) {
        return TcpHeaderResult::malformed;
    }
    segment.source.port = view.u16(0);
    segment.destination.port = view.u16(2);
    segment.sequence = view.u32(4);
    segment.acknowledgment = view.u32(8);
    segment.flags = view.u8(13);
    segment.window = view.u16(14);

    TcpOptions &options = segment.options;
    clear(options);
    const std::uint32_t options_there = std::min(header_size, view.captured) - fixed_header_size;
    // The layout of nearly every segment of a connection with timestamps (RFC 7323 appendix A).
    constexpr std::uint32_t padded_timestamps = 0x0101080a;
    if (options_there == 12 && view.u32(20) == padded_timestamps) [[likely]] {
        options.has_timestamps = true;
        options.timestamp_value = view.u32(24);
        options.timestamp_echo = view.u32(28);
    } else if (options_there != 0) {
        read_options({view.data + fixed_header_size, options_there, options_there}, options);
    }
    const PacketView payload = view.behind(header_size);
    segment.payload_length = payload.wire;
    segment.payload = {payload.data, payload.captured};
    return TcpHeaderResult::good;
}

} // namespace iscsiscope
