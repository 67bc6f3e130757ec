// SPDX-License-Identifier: GPL-2.0-or-later
// Two captures of the same traffic, one at each end (definitions.md, "Two-sided pair"): which connections and
// segments are the same, how the clocks stand to each other, how long each segment took, which were lost.
#pragma once

#include "analyzer/tcp/pair/pair_figures.h"

#include <memory>

namespace iscsiscope {

// Takes what the tcp room tells of both captures (RecordSink::on_segment, with wants_progress()); each
// capture in its own order, the two in any order between them. Keeps about 50 bytes a segment until solved.
// Not thread-safe: with a thread a capture use two `PairSide`s and hand both to `solve`.
class PairSide {
public:
    PairSide();
    ~PairSide();
    PairSide(PairSide &&) noexcept;
    PairSide &operator=(PairSide &&) noexcept;

    void on_segment(const Connection &, const SegmentReport &);

private:
    friend PairFigures solve(const PairSide &a, const PairSide &b);
    struct State;
    std::unique_ptr<State> state_;
};

// Costs time in the order of the segments. Never fails: captures without a common connection give an empty
// result.
PairFigures solve(const PairSide &a, const PairSide &b);

} // namespace iscsiscope
