// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/export_report.h"

#include "analyzer/report/html/html_report.h"
#include "analyzer/report/output_file.h"

namespace iscsiscope::gui {

std::optional<QString> writeHtmlReport(const FigureRequest &request, const QString &path,
                                       const std::atomic<bool> &stop) {
    StopObserver stopper(stop);
    FigureRequest withCharts = request;
    withCharts.charts = true;
    const auto made = makeReport(withCharts, nullptr, &stopper);
    if (const auto *sentence = std::get_if<QString>(&made)) {
        return *sentence;
    }
    UnfinishedFiles unfinished;
    OutputFile out(path.toStdString(), unfinished);
    out.write(html_report(*std::get<ReportPtr>(made), {0.5, 0.9, 0.99, 0.999}, ISCSISCOPE_VERSION));
    return out.commit() ? std::nullopt : std::optional(QString::fromStdString(out.error()));
}

} // namespace iscsiscope::gui
