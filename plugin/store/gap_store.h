// SPDX-License-Identifier: GPL-2.0-or-later
// GapStore keeps the idle gaps and the entries of the ledger that they consist of, to be looked up by the
// frame with which a gap ended.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/findings/finding.h"

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace iscsiscope::plugin {

// An idle gap that ended with this frame.
struct GapOnFrame {
    const GapRecord *record = nullptr;
    // Whose its time is and why, in order of time. Empty while the file is being read.
    std::vector<const LedgerEntry *> entries;
    const Finding *finding = nullptr; // the first of the report that may claim one of them; null: none
};

class GapStore final : public Takes<GapRecord, LedgerEntry> {
public:
    void on(const GapRecord &) override;
    void on(const LedgerEntry &) override;

    const std::deque<GapRecord> &all() const { return gaps_; } // elements do not move
    // Adds the gaps that ended with this frame.
    void add(FrameNumber, const std::optional<FindingsResult> &, std::vector<GapOnFrame> &) const;

private:
    std::deque<GapRecord> gaps_;
    std::deque<LedgerEntry> entries_;
    std::unordered_multimap<FrameNumber, const GapRecord *> gap_ends_;
    std::multimap<FrameNumber, const LedgerEntry *> entries_at_; // of one frame, in order of time
};

} // namespace iscsiscope::plugin
