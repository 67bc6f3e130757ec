// SPDX-License-Identifier: GPL-2.0-or-later
// Compares two captures of the same traffic, one at each end (docs/tcp-inference.md, "Two-sided pair"):
// matches connections and segments and finds clock offset, one-way delays and segments lost in between.
#pragma once

#include "analyzer/tcp/pair/pair_figures.h"

#include <memory>

namespace iscsiscope {

// Collects the segments of one capture, in the order of StreamSink::on_segment. Takes about 50 bytes of
// memory per segment. Each object may be filled by its own thread.
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

// Compares the captures. Captures without a common connection give an empty result.
PairFigures solve(const PairSide &a, const PairSide &b);

} // namespace iscsiscope
