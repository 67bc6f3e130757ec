// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/words.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/number_format.h"
#include "analyzer/report/palette.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace iscsiscope::gui {

QString words(std::string_view v) {
    return QString::fromUtf8(v.data(), static_cast<qsizetype>(v.size()));
}
QString meaningOf(std::string_view path) {
    return words(meaning_of(path));
}
QString responseTimeMeaning(std::string_view quantile) {
    return meaningOf("response_time") + ' ' + meaningOf(quantile);
}
QString durationWords(std::int64_t ns) {
    return QString::fromStdString(human::duration(ns));
}
QString durationWords(std::optional<std::int64_t> ns) {
    return QString::fromStdString(human::duration(ns));
}
QString byteWords(std::uint64_t v) {
    return QString::fromStdString(human::bytes(v));
}
QString rateWords(double v) {
    return QString::fromStdString(human::rate(v));
}
QString countWords(std::uint64_t v) {
    return QString::fromStdString(human::count(v));
}
QString shareWords(double v) {
    return QString::fromStdString(human::share(v));
}

QString secondWords(std::int64_t sinceOrigin, std::int64_t step) {
    const int digits =
        step <= 0 ? 9
                  : std::clamp(9 - static_cast<int>(std::floor(std::log10(static_cast<double>(step)))), 0, 9);
    return QString::number(static_cast<double>(sinceOrigin) / 1e9, 'f', digits) + " s";
}

QString connectionWords(StreamId stream, const Endpoint &initiator, const Endpoint &target) {
    return QString("%1: %2 → %3")
        .arg(stream.number)
        .arg(QString::fromStdString(to_text(initiator)), QString::fromStdString(to_text(target)));
}

QColor colorOf(GapKind k) {
    return QColor::fromRgb(palette::of(k));
}
QColor colorOf(CycleFigure f) {
    return QColor::fromRgb(palette::of(f));
}
QColor colorOf(TaskType t) {
    return QColor::fromRgb(palette::of(t));
}
QColor colorOf(Owner o) {
    return QColor::fromRgb(palette::of(o));
}
QColor seriesColor(std::size_t i) {
    return QColor::fromRgb(palette::series[i % std::size(palette::series)]);
}

std::size_t seriesColorCount() {
    return std::size(palette::series);
}

} // namespace iscsiscope::gui
