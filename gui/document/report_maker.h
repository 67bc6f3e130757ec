// SPDX-License-Identifier: GPL-2.0-or-later
// Makes reports of files with the function that the command line uses (analyzer/figures/read_report.h).
#pragma once

#include "analyzer/figures/read_report.h"
#include "gui/document/stores/record_stores.h"

#include <QString>
#include <QStringList>

#include <atomic>
#include <memory>
#include <variant>

namespace iscsiscope::gui {

using ReportPtr = std::shared_ptr<const Report>;

// The files that make one capture.
struct CaptureFiles {
    QStringList files;
    FileUnion filesAre = FileUnion::joined; // of several
};

struct FigureRequest : CaptureFiles {
    TimeRange range;
    std::string filter;                          // of cycles; empty: all
    Duration interval = std::chrono::seconds{5}; // of the throughput and its deviation
    bool charts = false;                         // also make the series for an HTML page
};

// Returns the report of the files, or a sentence if one cannot be read. extra, if any, takes all records too.
std::variant<ReportPtr, QString> makeReport(const FigureRequest &, RecordSink *extra, ReadObserver *);
// Reads the files once more and passes the records to the sink, for data that is not kept in memory; without
// the analysis of TCP. Parts that can no longer be read are left out.
void readAgain(const CaptureFiles &, RecordSink &, ReadObserver *);
// Makes a report of the records in the tables, equal to makeReport()'s in what it has: without bytes on the
// wire, PDUs and findings, which need the file. Of the whole capture: its report, for what no range limits.
ReportPtr replayReport(const Tables &, const Report &whole, const TimeRange &, const std::string &filter,
                       const std::atomic<bool> &stop);

// Ends a reading when the flag is set, or where a reading of so many frames had been ended.
class StopObserver final : public ReadObserver {
public:
    explicit StopObserver(const std::atomic<bool> &stop, std::uint64_t frames = ~std::uint64_t{0})
        : stop_(stop), frames_(frames) {}
    bool on_progress(std::uint64_t frames, std::uint64_t, std::optional<std::uint64_t>) override {
        return !stop_ && frames < frames_;
    }

private:
    const std::atomic<bool> &stop_;
    std::uint64_t frames_;
};

// Returns the range as --range takes it, to the nanosecond.
std::string rangeWords(Time from, Time to, Time origin);
TimeRange rangeOf(Time from, Time to, Time origin);

} // namespace iscsiscope::gui
