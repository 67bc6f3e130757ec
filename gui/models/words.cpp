// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/words.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/number_format.h"
#include "analyzer/report/palette.h"
#include "gui/document/stores/time_scale.h"

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
QString durationWords(Duration d) {
    return QString::fromStdString(human::duration(d));
}
QString durationWords(std::optional<Duration> d) {
    return QString::fromStdString(human::duration(d ? std::optional(to_ns(*d)) : std::nullopt));
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

QString secondWords(Duration sinceOrigin, Duration step) {
    const int digits =
        step <= Duration{} ? 9 : std::clamp(9 - static_cast<int>(std::floor(std::log10(inNs(step)))), 0, 9);
    return QString::number(inSeconds(sinceOrigin), 'f', digits) + " s";
}

QString intervalWords(Duration from, Duration to) {
    const Duration step = (to - from) / 1000;
    return QString("%1 to %2 (%3)")
        .arg(secondWords(from, step), secondWords(to, step), durationWords(to - from));
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
