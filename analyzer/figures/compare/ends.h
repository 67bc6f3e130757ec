// SPDX-License-Identifier: GPL-2.0-or-later
// Ends: two captures of the same run, taken at its two ends, and the figures that only the pair gives.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/tcp/pair/capture_pair.h"

namespace iscsiscope {

// Collects the segments of one capture for the pair.
class PairSink final : public Takes<SegmentRecord> {
public:
    void on(const SegmentRecord &r) override { side_.on_segment(r); }
    const PairSide &side() const { return side_; }

private:
    PairSide side_;
};

struct EndsPair {
    PairFigures pair; // of iSCSI connections only
    // True if `a` is nearer to the initiator: segments towards the target pass it first.
    bool a_is_initiator = true;
};
struct Ends : EndsPair {
    Report a, b;
    const Report &at_target() const { return a_is_initiator ? b : a; }
    const Report &at_initiator() const { return a_is_initiator ? a : b; }
};
// same_clock: one clock stamped both captures (PairOptions).
EndsPair match_pair(const Report &a, const PairSink &of_a, const PairSink &of_b, const PairOptions & = {});
Ends match_ends(Report a, const PairSink &of_a, Report b, const PairSink &of_b, bool same_clock);

} // namespace iscsiscope
