// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/batch/segment_batch.h"

#include <algorithm>

namespace iscsiscope {

void SegmentBatch::clear() {
    count_ = 0;
    anomalies_.clear();
    closings_.clear();
    retired_.clear();
    held_.clear();
    copies_.clear();
}

// The header, where there is one, lies directly before the payload.
void SegmentBatch::copy(Segment &s) {
    copies_.push_back(std::make_unique_for_overwrite<std::byte[]>(s.header.size() + s.payload.size()));
    std::byte *to = copies_.back().get();
    std::copy(s.header.begin(), s.header.end(), to);
    std::copy(s.payload.begin(), s.payload.end(), to + s.header.size());
    s.header = {to, s.header.size()};
    s.payload = {to + s.header.size(), s.payload.size()};
}

} // namespace iscsiscope
