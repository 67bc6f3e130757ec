// SPDX-License-Identifier: GPL-2.0-or-later
// RepeatedFrom: when the bytes of one direction arrived that were lost behind the tap, or stood behind such a
// hole (docs/figures.md, "Whose time it is").
//
// In: each repeat of bytes that were not acknowledged. Their receiver has had nothing from the first of them
// on, in order, until the repeat. Out: of a PDU that passed at a time, when its receiver can have had it. The
// last eight repeats are kept: tasks that have waited through more are rare.
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/base/time.h"

#include <algorithm>
#include <cstddef>

namespace iscsiscope {

class RepeatedFrom {
public:
    // Bytes that had passed first at `original` were sent again.
    void repeated(Time original, Time again) { kept_.push_back({original, again}); }
    // Returns when what passed then, in order, had arrived, on the time line of the tap.
    Time arrived(Time passed) const {
        Time at = passed;
        for (std::size_t i = 0; i < kept_.size(); ++i)
            if (kept_[i].original <= passed && passed < kept_[i].again)
                at = std::max(at, kept_[i].again);
        return at;
    }

private:
    struct Repeat {
        Time original{}, again{};
    };
    BoundedRing<Repeat, 8> kept_;
};

} // namespace iscsiscope
