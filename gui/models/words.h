// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as texts, formatted as in the command line's reports, the glossary's sentences, and colours.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/figures/cycle_figures.h"

#include <QColor>
#include <QString>

#include <optional>

namespace iscsiscope::gui {

QString words(std::string_view);
// The glossary's sentence on the term at the end of this path (meaning_of() of analyzer/base/glossary); empty
// if it has none.
QString meaningOf(std::string_view path);
// Two sentences: what a response time is, and what this quantile ("p50") or "max" of it is.
QString responseTimeMeaning(std::string_view quantile);
QString durationWords(Duration);
QString durationWords(std::optional<Duration>); // "-" if empty
QString byteWords(std::uint64_t);
QString rateWords(double bytesPerSecond); // "12.3 MB/s"
QString countWords(std::uint64_t);
QString shareWords(double);
// Seconds from the capture's first frame, with as many digits as a step of this size needs.
QString secondWords(Duration sinceOrigin, Duration step);
// "2.500 s to 9.250 s (6.75 s)", from the capture's first frame.
QString intervalWords(Duration from, Duration to);
QString connectionWords(StreamId stream, const Endpoint &initiator, const Endpoint &target);

QColor colorOf(GapKind);
QColor colorOf(CycleFigure);
QColor colorOf(TaskType);
QColor colorOf(Owner);
QColor seriesColor(std::size_t index); // repeats after seriesColorCount()
std::size_t seriesColorCount();

} // namespace iscsiscope::gui
