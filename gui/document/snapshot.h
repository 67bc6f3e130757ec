// SPDX-License-Identifier: GPL-2.0-or-later
// Snapshot is the state of a capture at one moment of its reading: tables, indexes for pictures, figures. It
// never changes and may be shared between threads.
#pragma once

#include "analyzer/figures/report.h"
#include "gui/document/file_changes.h"
#include "gui/document/lanes/lane_index.h"
#include "gui/document/lanes/sample_pyramids.h"
#include "gui/document/report_maker.h"
#include "gui/document/stores/record_stores.h"
#include "gui/document/stores/time_scale.h"

#include <QString>
#include <QStringList>

#include <memory>

namespace iscsiscope::gui {

struct Snapshot : CaptureFiles { // without files: made of tables only
    Tables tables;
    std::shared_ptr<const Lanes> lanes = std::make_shared<Lanes>();
    std::shared_ptr<const SamplePyramids> pyramids = std::make_shared<SamplePyramids>();
    std::shared_ptr<const Report> report = std::make_shared<Report>();
    Interval whole = spanOfNothing; // first to last frame
    Time origin;                    // time of the first frame, from which seconds are counted
    bool complete = false;          // the reading has ended
    bool cancelled = false;         // ... before the file's end, as the user asked
    std::uint64_t bytesRead = 0;
    std::vector<FileState> states; // of the files, as the reading began
    QString note;                  // remark on the reading for the user; empty: none
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

} // namespace iscsiscope::gui
