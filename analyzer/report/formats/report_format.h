// SPDX-License-Identifier: GPL-2.0-or-later
// ReportFormat: how reports are written in one format, and to what. In: a finished Report, or records while a
// capture is read and its Report at the end. Out: a text, a file or a folder of files.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/query/row_sink.h"
#include "analyzer/report/output_file.h"
#include "analyzer/report/text/text_page.h"
#include "analyzer/report/text/text_sections.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// The choices of a user, of which each format takes what it knows.
struct ReportSettings {
    std::vector<double> quantiles; // 0 to 1
    TextStyle style;               // of plain text; with quantiles of its own
    ReportDetail detail = ReportDetail::ordinary;
    std::string version; // of the program
};

// Writes the report of one capture to a place of its own, which appears complete or not at all: the
// destructor removes what finish() has not completed. It is used by one thread at a time.
class ReportWriter {
public:
    virtual ~ReportWriter() = default;

    // What takes the records while the capture is read; owned by the writer.
    virtual std::vector<RecordSink *> sinks() { return {}; }
    // A sentence; empty: nothing failed so far. May be asked while the capture is read.
    virtual std::string error() const = 0;
    // Completes the output. Returns false on an error, which error() states.
    virtual bool finish(const Report &, const ReportSettings &) = 0;
    // The number of tables in a folder of tables; 0 for other outputs.
    virtual std::size_t tables() const { return 0; }
};

// Reports that are one text each, made when the capture has been read.
class ReportText {
public:
    // What stands around the texts of several captures in one output.
    struct Series {
        std::string_view begin, between, end;
        std::string_view none; // instead of all, if there is no report
    };

    virtual ~ReportText() = default;

    // `out` gets the text in parts. Throws std::bad_alloc if memory ran out; `out` has got the beginning
    // then.
    virtual void write(const Report &, const ReportSettings &,
                       const std::function<void(std::string_view)> &out) const = 0;
    // nullopt: an output holds the report of one capture.
    virtual std::optional<Series> series() const { return std::nullopt; }
};

// An object a format; it keeps no state, and may be used by several threads at once.
class ReportFormat {
public:
    virtual ~ReportFormat() = default;

    // What stands in brackets behind the name of the format in --help: "one page"; empty: nothing.
    virtual std::string_view help() const { return {}; }
    // What it writes where not everything goes to one text: "a page a capture", "a data base".
    virtual std::string_view output() const { return {}; }
    // The ending of a capture's file: ".json". Empty: its report is a folder.
    virtual std::string_view extension() const = 0;
    // True if a Report needs the series of charts (ReportRequest::charts).
    virtual bool shows_charts() const { return false; }
    // Null: a report needs a place of its own, see begin().
    virtual const ReportText *text() const { return nullptr; }
    // Begins a report in a file or folder of its own, before the capture is read. Never null; an error is
    // stated by the writer. `cycles` selects the rows of cycles; what it points to, and the last argument,
    // must outlive the writer.
    virtual std::unique_ptr<ReportWriter> begin(const std::string &place, RowSelection cycles,
                                                UnfinishedFiles &) const = 0;
};

} // namespace iscsiscope
