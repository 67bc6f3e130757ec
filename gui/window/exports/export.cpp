// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/exports/export.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace iscsiscope::gui {
namespace {

QString exportText(const char *text) {
    return QCoreApplication::translate("Export", text);
}

} // namespace

std::optional<QString> exportPicture(QWidget &view, const QString &path) {
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending != "png" && ending != "svg" && ending != "pdf")
        return exportText("%1: a picture's name ends in .png, .svg or .pdf.").arg(path);
    // Written beside its name and renamed when whole.
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return exportText("%1: %2").arg(path, file.errorString());
    bool good = true;
    if (ending == "png") {
        good = view.grab().save(&file, "PNG");
    } else if (ending == "svg") {
        QSvgGenerator svg;
        svg.setOutputDevice(&file);
        svg.setSize(view.size());
        svg.setViewBox(QRect(QPoint(0, 0), view.size()));
        svg.setTitle("iscsiscope");
        QPainter painter;
        good = painter.begin(&svg);
        view.render(&painter);
        good = painter.end() && good;
    } else {
        QPdfWriter pdf(&file);
        pdf.setPageSize(QPageSize(QSizeF(view.size()), QPageSize::Point));
        pdf.setPageMargins({0, 0, 0, 0});
        pdf.setResolution(72);
        pdf.setTitle("iscsiscope");
        QPainter painter;
        good = painter.begin(&pdf);
        view.render(&painter);
        good = painter.end() && good;
    }
    if (!good || !file.commit())
        return exportText("%1 could not be written: %2").arg(path, file.errorString());
    return std::nullopt;
}

} // namespace iscsiscope::gui
