// SPDX-License-Identifier: GPL-2.0-or-later
// Segments that run on from the one before: the short way of nearly every segment of a bulk transfer.
#include "analyzer/tcp/diagnosis/direction_diagnosis.h"

#include <algorithm>

namespace iscsiscope {

// Whether sent() would find nothing but more bytes: it follows at once, and nothing waits for what comes
// next.
bool DirectionDiagnosis::only_adds(const SegmentReport &r) const {
    return r.runs_on && any_sent_ && r.offset == high_end_ && r.segment->time - last_sent_ <= no_wait &&
           undecided_.empty() && aftermath_.repeat == 0;
}

void DirectionDiagnosis::add(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    const std::uint64_t known_before = known_;
    if (!acks_.empty())
        note_release(s);
    run_to(c, s.time);
    ids_.left_out(s); // what is left out tells only behind a silence
    note_size(c, s);
    waited_spuriously(s.frame);
    high_end_ += s.payload_length;
    add_sent(r, r.offset, high_end_);
    last_sent_ = std::max(last_sent_, s.time);
    if (known_ == known_before && (s.options.has_timestamps || known_ == known_at_send_))
        return; // by the same echo its sender knew what it knew before
    note_known(c, s);
    label_due_ = true;
}

} // namespace iscsiscope
