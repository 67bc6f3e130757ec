// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/tcp_figures.h"

namespace iscsiscope {

std::string_view name(RetransmissionClass c) {
    constexpr std::array<std::string_view, retransmission_class_count> names{"fast", "timeout", "tail_probe",
                                                                             "spurious", "unknown"};
    return names[static_cast<std::size_t>(c)];
}

std::string_view name(LossPlace p) {
    constexpr std::array<std::string_view, 4> names{"before_tap", "behind_tap", "none", "unknown"};
    return names[static_cast<std::size_t>(p)];
}

std::string_view name(ReorderingProof p) {
    constexpr std::array<std::string_view, 3> names{"timestamp", "ip_id", "quick"};
    return names[static_cast<std::size_t>(p)];
}

} // namespace iscsiscope
