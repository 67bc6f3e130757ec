// SPDX-License-Identifier: GPL-2.0-or-later
// The two ends of one run: what a pair of captures tells that none of them does alone.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/tcp/pair/capture_pair.h"

#include <string>

namespace iscsiscope {

// Takes the segments of one capture for the pair.
class PairSink final : public RecordSink {
public:
    bool wants_progress() const override { return true; }
    void on_segment(const Connection &c, const SegmentReport &r) override { side_.on_segment(c, r); }
    const PairSide &side() const { return side_; }

private:
    PairSide side_;
};

struct Ends {
    Report a, b;
    PairFigures pair;
    // Whose segments towards the target pass it first: the one nearer to the initiator.
    bool a_is_initiator = true;
    const Report &at_target() const { return a_is_initiator ? b : a; }
    const Report &at_initiator() const { return a_is_initiator ? a : b; }
};
struct EndsPair {
    PairFigures pair; // of iSCSI connections only
    bool a_is_initiator = true;
};
EndsPair match_pair(const Report &a, const PairSink &of_a, const PairSink &of_b);
Ends match_ends(Report a, const PairSink &of_a, Report b, const PairSink &of_b);

// In words: how many connections matched, how the clocks stand to each other, how they drift apart.
std::string matched_words(const PairFigures &);
std::string clock_words(const PairFigures &);
std::string drift_words(const PairFigures &); // empty without a clock

} // namespace iscsiscope
