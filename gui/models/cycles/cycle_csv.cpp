// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/cycles/cycle_csv.h"

#include "analyzer/report/tables/row_writer.h"

#include <QCoreApplication>
#include <QFile>

namespace iscsiscope::gui {

QString cancelledWords(const QString &path) {
    return QCoreApplication::translate("Export", "%1: cancelled; nothing was written.").arg(path);
}

std::optional<QString> writeCyclesCsv(const Snapshot &s, const std::vector<Row> &rows, const QString &path,
                                      const std::atomic<bool> &stop, std::atomic<double> &share) {
    UnfinishedFiles unfinished;
    OutputFile out(QFile::encodeName(path).toStdString(), unfinished); // not committed: removed
    auto columns = choose_columns(cycle_table(), "");
    RowWriter writer(RowFormat::csv, std::move(columns.value()), out);
    writer.header();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % 4096 == 0) {
            share = static_cast<double>(i) / static_cast<double>(rows.size());
            if (stop)
                return cancelledWords(path);
            if (!out.ok())
                break; // writing failed, such as on a full disk
        }
        const CycleRecord record = s.tables.cycles.record(rows[i]);
        writer.row(&record);
    }
    writer.flush();
    if (!out.commit())
        return QString::fromStdString(out.error());
    share = 1;
    return std::nullopt;
}

} // namespace iscsiscope::gui
