// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: the fast path for segments that continue a run, nearly all of a bulk transfer.
#include "analyzer/tcp/diagnosis/direction_diagnosis.h"

#include <algorithm>

namespace iscsiscope {

// Returns whether the segment only adds bytes: it follows without a gap, and no decision depends on it.
bool DirectionDiagnosis::only_adds(const SegmentReport &r) const {
    return r.continues_run && any_sent_ && r.offset == high_end_ && last_sent_ &&
           r.segment->time - *last_sent_ <= no_wait && undecided_.empty() &&
           !undecided_.counts_after_repeat();
}

void DirectionDiagnosis::add(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    const std::uint64_t known_before = acks_.number();
    if (!acks_.empty())
        acks_.note_release(s);
    run_to(c, s.time);
    ids_.left_out(s); // missing identifications matter only after a silence
    figures().full_segment = track_.full_segment();
    sent_without_wait(s.frame);
    window_.restart.sent(s.frame, s.payload_length);
    high_end_ += s.payload_length;
    add_sent(r, r.offset, high_end_);
    note_sent_at(s.time);
    if (acks_.number() == known_before &&
        (s.options.has_timestamps || acks_.number() == acks_.number_at_send()))
        return; // the sender knew the same ACK as before
    note_known(c, s);
    label_due_ = true;
}

} // namespace iscsiscope
