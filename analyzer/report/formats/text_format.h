// SPDX-License-Identifier: GPL-2.0-or-later
// TextFormat: a report format whose reports are texts; a place of its own is a file with that text.
#pragma once

#include "analyzer/report/formats/report_format.h"

namespace iscsiscope {

class TextFormat : public ReportFormat, public ReportText {
public:
    const ReportText *text() const override { return this; }
    std::unique_ptr<ReportWriter> begin(const std::string &place, RowSelection cycles,
                                        UnfinishedFiles &) const override;
};

} // namespace iscsiscope
