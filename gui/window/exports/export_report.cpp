// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/exports/export_report.h"

#include "analyzer/report/html/html_report.h"
#include "analyzer/report/output_file.h"
#include "gui/models/cycles/cycle_csv.h"

#include <QFile>

namespace iscsiscope::gui {
namespace {

class ShareObserver final : public ReadObserver {
public:
    ShareObserver(const std::atomic<bool> &stop, std::atomic<double> &share) : stop_(stop), share_(share) {}
    bool on_progress(std::uint64_t, std::uint64_t bytes, std::optional<std::uint64_t> size) override {
        if (size && *size > 0)
            share_ = std::min(static_cast<double>(bytes) / static_cast<double>(*size), 1.0);
        return !stop_;
    }

private:
    const std::atomic<bool> &stop_;
    std::atomic<double> &share_;
};

} // namespace

std::optional<QString> writeHtmlReport(const FigureRequest &request, const QString &path,
                                       const std::atomic<bool> &stop, std::atomic<double> &share) {
    ShareObserver observer(stop, share);
    FigureRequest withCharts = request;
    withCharts.charts = true;
    const auto made = makeReport(withCharts, nullptr, &observer);
    if (const auto *sentence = std::get_if<QString>(&made))
        return *sentence;
    if (stop)
        return cancelledWords(path); // what was read so far is no report of the capture
    UnfinishedFiles unfinished;
    OutputFile out(QFile::encodeName(path).toStdString(), unfinished);
    out.write(html_report(*std::get<ReportPtr>(made), {0.5, 0.9, 0.99, 0.999}, ISCSISCOPE_VERSION));
    return out.commit() ? std::nullopt : std::optional(QString::fromStdString(out.error()));
}

} // namespace iscsiscope::gui
