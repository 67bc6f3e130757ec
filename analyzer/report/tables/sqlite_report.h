// SPDX-License-Identifier: GPL-2.0-or-later
// A report as an SQLite file: the row tables while reading, the rest at the end.
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
// sessions, luns, tcp, findings, evidence and others from the Report; views for common questions. All of it
// in one transaction on a temporary file, which takes the name when it is whole.
class SqliteReport {
public:
    // filter: of the cycles. The output's name must not be "-".
    SqliteReport(const std::string &path, RowSelection cycles, UnfinishedFiles &);
    ~SqliteReport(); // not finished: removed
    SqliteReport(const SqliteReport &) = delete;
    SqliteReport &operator=(const SqliteReport &) = delete;

    std::vector<RecordSink *> sinks();
    bool ok() const;
    std::string error() const; // a sentence
    // False: see error().
    bool finish(const Report &, const std::vector<double> &quantiles, const std::string &version);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
