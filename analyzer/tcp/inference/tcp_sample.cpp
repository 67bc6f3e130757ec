// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/tcp_sample.h"

#include <array>

namespace iscsiscope {

std::string_view name(SenderState s) {
    constexpr std::array<std::string_view, 6> names{"slow_start", "avoidance",    "recovery",
                                                    "loss",       "idle_restart", "unknown"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view name(SendLimit l) {
    constexpr std::array<std::string_view, 6> names{"application", "receive_window", "send_buffer",
                                                    "cwnd",        "pacing",         "unknown"};
    return names[static_cast<std::size_t>(l)];
}

std::string_view name(Anchor a) {
    constexpr std::array<std::string_view, 3> names{"timestamp", "half_loop", "tap"};
    return names[static_cast<std::size_t>(a)];
}

} // namespace iscsiscope
