// SPDX-License-Identifier: GPL-2.0-or-later
// SqliteReport: a report as an SQLite file; row tables are filled while reading, all others at the end.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/figures/report.h"
#include "analyzer/query/row_sink.h"
#include "analyzer/report/output_file.h"

#include <memory>
#include <string>
#include <vector>

namespace iscsiscope {

// Tables cycles, bursts, gaps, connections and tcp_samples with the columns of the row commands; report,
// sessions, luns, tcp, findings, evidence and others from the Report; views for common questions. Everything
// is written in one transaction to a temporary file, which is renamed when it is complete.
class SqliteReport {
public:
    // `cycles` selects the rows of cycles. The path must not be "-".
    SqliteReport(const std::string &path, RowSelection cycles, UnfinishedFiles &);
    ~SqliteReport(); // removes the file unless finish() succeeded
    SqliteReport(const SqliteReport &) = delete;
    SqliteReport &operator=(const SqliteReport &) = delete;

    std::vector<RecordSink *> sinks();
    bool ok() const;
    std::string error() const; // a sentence
    // Completes the file. Returns false on an error, which error() states.
    bool finish(const Report &, const std::vector<double> &quantiles, const std::string &version);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
