// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentSelection: what stands between the decoder and the connections: it may leave segments out, and give
// them in another order.
#pragma once

#include "analyzer/capture/segment.h"

#include <functional>

namespace iscsiscope {

class SegmentSelection {
public:
    using Out = std::function<void(const Segment &)>;

    virtual ~SegmentSelection() = default;
    // Takes the segment of the frame that the reader gave last. Those given out are valid during the call
    // only.
    virtual void add(const Segment &, const Out &) = 0;
    // No further segment comes.
    virtual void finish(const Out &) = 0;
};

} // namespace iscsiscope
