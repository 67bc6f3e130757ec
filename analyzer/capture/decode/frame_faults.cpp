// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/decode/frame_faults.h"

namespace iscsiscope {

void FrameFaults::report(AnomalyKind kind, std::int64_t detail) {
    sink_.on_anomaly({.kind = kind, .frame = known_frame(frame_), .stream = {}, .detail = detail});
}

bool FrameFaults::incomplete(PacketView view, std::uint64_t &counter) {
    ++counter;
    report(view.is_cut() ? AnomalyKind::header_cut : AnomalyKind::malformed_frame);
    return false;
}

bool FrameFaults::malformed(std::uint64_t &counter) {
    ++counter;
    report(AnomalyKind::malformed_frame);
    return false;
}

bool FrameFaults::unknown_link(std::uint32_t link_type, std::uint64_t &counter) {
    ++counter;
    const std::size_t index = link_type < unknown_links_.size() ? link_type : unknown_links_.size() - 1;
    if (!unknown_links_.test(index)) {
        unknown_links_.set(index);
        report(AnomalyKind::unknown_link_type, link_type);
    }
    return false;
}

void FrameFaults::short_packet() {
    if (!cut_by_mirror_)
        report(AnomalyKind::malformed_frame);
}

} // namespace iscsiscope
