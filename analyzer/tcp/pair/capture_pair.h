// SPDX-License-Identifier: GPL-2.0-or-later
// Compares two captures of the same traffic, one at each end (docs/tcp-inference.md, "Two-sided pair"):
// matches connections and segments and finds clock offset, one-way delays, segments lost in between, and
// segments whose contents differ.
#pragma once

#include "analyzer/tcp/pair/pair_figures.h"
#include "analyzer/tcp/stream/segment_record.h"

#include <memory>

namespace iscsiscope {

struct PairOptions {
    // Both captures were stamped by one clock, as the user states: its offset and drift are zero.
    bool same_clock = false;
    // The coarser resolution of the captures' time stamps. No time difference below it contradicts
    // same_clock.
    Duration precision{1000};
};

// Collects the segments of one capture, in the order of frames, damaged ones too. Takes 64 bytes
// of memory per segment and some 5 % of its payload (payload_blocks.h states what is kept of it). Each
// object may be filled by its own thread.
class PairSide {
public:
    PairSide();
    ~PairSide();
    PairSide(PairSide &&) noexcept;
    PairSide &operator=(PairSide &&) noexcept;

    void on_segment(const SegmentRecord &);

private:
    friend PairFigures solve(const PairSide &a, const PairSide &b, const PairOptions &);
    struct State;
    std::unique_ptr<State> state_;
};

// Compares the captures. Captures without a common connection give an empty result.
PairFigures solve(const PairSide &a, const PairSide &b, const PairOptions & = {});

} // namespace iscsiscope
