// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/batch/segment_batch.h"

namespace iscsiscope {

void SegmentBatch::clear() {
    count_ = 0;
    anomalies_.clear();
    closings_.clear();
    retired_.clear();
    held_.clear();
}

} // namespace iscsiscope
