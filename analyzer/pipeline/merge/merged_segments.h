// SPDX-License-Identifier: GPL-2.0-or-later
// MergedSegments: MergedConnections between the frames of a MergedReader and the engine.
#pragma once

#include "analyzer/pipeline/merge/merged_connections.h"
#include "analyzer/pipeline/merge/merged_reader.h"
#include "analyzer/pipeline/merge/segment_selection.h"

#include <string>
#include <vector>

namespace iscsiscope {

class MergedSegments final : public SegmentSelection {
public:
    // paths: of the files of the reader, whose first frames are read for what they show beforehand. The
    // reader must outlive the object.
    MergedSegments(const MergedReader &, const std::vector<std::string> &paths);

    void add(const Segment &, const Out &) override;
    void finish(const Out &out) override { connections_.finish(out); }
    void sum_up(MergeSummary &summary) { connections_.sum_up(summary); }

private:
    const MergedReader &reader_;
    MergedConnections connections_;
    std::vector<bool> ended_; // by file
};

} // namespace iscsiscope
