// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tallies/segment_sums.h"

#include <algorithm>

namespace iscsiscope {

void SegmentSums::add(const TcpDirectionFigures &f) {
    SegmentSums one{
        .segments = f.segments,
        .lost = f.lost(),
        .lost_before_tap = f.lost_before_tap,
        .loss_not_shown = f.loss_not_shown,
        .spurious = f.retransmissions[static_cast<std::size_t>(RetransmissionClass::spurious)],
        .reordered = f.reorderings + f.overtaken_behind_tap,
        .overtaken_behind_tap = f.overtaken_behind_tap,
        .reordering_delay = f.reordering_delay,
        .reordering_segments = f.reordering_segments,
        .received_twice = f.duplicates_received,
        .copies = f.duplicate_frames,
        .duplicate_acks = f.duplicate_acks,
        .first_again = f.first_retransmission,
        .first_overtaken = f.first_reordering,
        .first_twice = f.first_duplicate,
    };
    keep_earlier(one.first_overtaken, f.first_overtaken_behind_tap);
    merge(one);
}

void SegmentSums::merge(const SegmentSums &other) {
    segments += other.segments;
    lost += other.lost;
    lost_before_tap += other.lost_before_tap;
    loss_not_shown += other.loss_not_shown;
    spurious += other.spurious;
    reordered += other.reordered;
    overtaken_behind_tap += other.overtaken_behind_tap;
    reordering_delay = std::max(reordering_delay, other.reordering_delay);
    reordering_segments = std::max(reordering_segments, other.reordering_segments);
    received_twice += other.received_twice;
    copies += other.copies;
    duplicate_acks += other.duplicate_acks;
    keep_earlier(first_again, other.first_again);
    keep_earlier(first_overtaken, other.first_overtaken);
    keep_earlier(first_twice, other.first_twice);
}

} // namespace iscsiscope
