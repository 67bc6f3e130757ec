// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentCounts: how many segments each end of a connection has sent, with or without payload, to know
// whether an end has sent anything since some moment. In: each segment. Counts wrap at 2^32.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>

namespace iscsiscope {

class SegmentCounts {
public:
    void sent(Side s) { ++sent_[index(s)]; }
    // A payload frame of either end has passed.
    void mark() { marked_ = sent_; }

    std::uint32_t of(Side s) const { return sent_[index(s)]; }
    // The count at the last payload frame of either end.
    std::uint32_t at_last_payload(Side s) const { return marked_[index(s)]; }
    // The end has sent a segment before the last payload frame or with it, and none since.
    bool silent_since_payload(Side s) const { return of(s) != 0 && of(s) == at_last_payload(s); }

private:
    std::array<std::uint32_t, 2> sent_{}, marked_{}; // by Side
};

} // namespace iscsiscope
