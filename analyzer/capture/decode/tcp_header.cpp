// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/decode/tcp_header.h"

namespace iscsiscope {

namespace {

enum OptionKind : std::uint8_t {
    option_end = 0,
    option_no_operation = 1,
    option_mss = 2,
    option_window_scale = 3,
    option_sack_permitted = 4,
    option_sack = 5,
    option_timestamps = 8,
};

// Stores one option, kind and length bytes included; one whose length differs from its RFC's is ignored.
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
             at += 8)
            options.sack[options.sack_count++] = {option.u32(at), option.u32(at + 4)};
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

} // namespace

void read_tcp_options(PacketView area, TcpOptions &options) {
    while (area.captured != 0) {
        const std::uint8_t kind = area.u8(0);
        if (kind == option_end)
            return;
        std::uint32_t length = 1;
        if (kind != option_no_operation) {
            if (!area.has(2) || area.u8(1) < 2 || !area.has(area.u8(1)))
                return; // a bad length hides where the next option begins
            length = area.u8(1);
            read_option(kind, {area.data, length, length}, options);
        }
        area = area.behind(length);
    }
}

} // namespace iscsiscope
