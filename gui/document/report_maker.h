// SPDX-License-Identifier: GPL-2.0-or-later
// Files → Report by the engine's one road (analyzer/figures/read_report.h).
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

struct FigureRequest {
    QStringList files; // several: one capture in pieces
    TimeRange range;
    std::string filter;                          // of cycles; empty: all
    Duration interval = std::chrono::seconds{5}; // of the throughput's deviation
    bool charts = false;                         // series for an HTML page
};

// extra: told everything as well; may be null. A file that cannot be read: a sentence.
std::variant<ReportPtr, QString> makeReport(const FigureRequest &, RecordSink *extra, ReadObserver *);
// The packets of the files once more, for what is not kept of them; without the analysis of TCP. What cannot
// be read any more is left out.
void readAgain(const QStringList &files, RecordSink &, ReadObserver *);
// Of records at hand: without what only the file tells (frames, PDUs, TCP, findings).
ReportPtr replayReport(const Tables &, const TimeRange &, const std::string &filter,
                       const std::atomic<bool> &stop);

// Ends a reading that nobody waits for any more.
class StopObserver final : public ReadObserver {
public:
    explicit StopObserver(const std::atomic<bool> &stop) : stop_(stop) {}
    bool on_progress(std::uint64_t, std::uint64_t, std::optional<std::uint64_t>) override { return !stop_; }

private:
    const std::atomic<bool> &stop_;
};

// The range in the words that --range takes, to the nanosecond.
std::string rangeWords(std::int64_t from, std::int64_t to, std::int64_t origin);
TimeRange rangeOf(std::int64_t from, std::int64_t to, std::int64_t origin);

} // namespace iscsiscope::gui
