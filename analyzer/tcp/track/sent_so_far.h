// SPDX-License-Identifier: GPL-2.0-or-later
// SentSoFar: how far one sender has come in its stream, and when its last new or repeated data passed.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/time.h"

#include <algorithm>
#include <cstdint>

namespace iscsiscope {

class SentSoFar {
public:
    // The end of the highest byte that passed, or that was acknowledged though it is not in the capture.
    std::uint64_t end() const { return end_; }
    // True once data have passed.
    bool any() const { return any_; }
    const CompactOptional<Time> &last() const { return last_; } // empty: nothing was sent yet

    // The capture begins within the connection, with data at this offset.
    void begins_at(std::uint64_t offset) { end_ = offset; }
    void reaches(std::uint64_t offset) { end_ = std::max(end_, offset); }
    // Data up to this offset passed.
    void sent(std::uint64_t end, Time now) {
        reaches(end);
        any_ = true;
        if (!last_ || *last_ < now) // capture times may go back
            last_ = now;
    }

private:
    std::uint64_t end_ = 0;
    CompactOptional<Time> last_;
    bool any_ = false;
};

} // namespace iscsiscope
