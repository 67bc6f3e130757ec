// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tallies/segment_sums.h"

namespace iscsiscope {

void SegmentSums::add(const TcpDirectionFigures &f) {
    segments += f.segments;
    lost += f.lost_before_tap + f.lost_behind_tap + f.lost_unknown_place;
    lost_before_tap += f.lost_before_tap;
    loss_not_shown += f.loss_not_shown;
    spurious += f.retransmissions[static_cast<std::size_t>(RetransmissionClass::spurious)];
    reordered += f.reorderings + f.overtaken_behind_tap;
    overtaken_behind_tap += f.overtaken_behind_tap;
    duplicate_acks += f.duplicate_acks;
}

void SegmentSums::merge(const SegmentSums &other) {
    segments += other.segments;
    lost += other.lost;
    lost_before_tap += other.lost_before_tap;
    loss_not_shown += other.loss_not_shown;
    spurious += other.spurious;
    reordered += other.reordered;
    overtaken_behind_tap += other.overtaken_behind_tap;
    duplicate_acks += other.duplicate_acks;
}

} // namespace iscsiscope
