// SPDX-License-Identifier: GPL-2.0-or-later
// CsvReport: a report as a folder of CSV tables; rows are written while reading, summaries at the end.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/figures/report.h"
#include "analyzer/query/row_sink.h"
#include "analyzer/report/output_folder.h"

#include <memory>
#include <string>
#include <vector>

namespace iscsiscope {

// cycles.csv, bursts.csv, gaps.csv and connections.csv fill while the capture is read; the summary tables
// (summary_tables.h) are written by finish(). PDUs and segments are left out because of their number; the
// commands `pdus` and `tcp` list them.
class CsvReport {
public:
    // The folder appears when all tables are complete (output_folder.h). `cycles` selects the rows of cycles.
    CsvReport(const std::string &folder, RowSelection cycles, UnfinishedFiles &);
    ~CsvReport(); // removes the tables unless finish() succeeded

    std::vector<RecordSink *> sinks();
    bool ok() const { return error().empty(); }
    // Writes the summaries and gives the folder its name. Returns false on an error, which error() states.
    bool finish(const Report &, const std::vector<double> &quantiles);
    // Number of tables that finish() wrote.
    std::size_t tables() const { return rows_.size() + summaries_.size(); }
    std::string error() const;

private:
    struct RowFile;

    void summary(const std::string &name, const std::string &content);

    OutputFolder folder_;
    std::vector<std::unique_ptr<RowFile>> rows_;
    std::vector<std::unique_ptr<OutputFile>> summaries_;
};

} // namespace iscsiscope
