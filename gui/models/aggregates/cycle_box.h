// SPDX-License-Identifier: GPL-2.0-or-later
// CycleBox is a part of the cycles as one draws it in a chart: by the time of their end, response time, LBA.
// What it holds can be written as a filter and a range.
#pragma once

#include "gui/document/snapshot.h"

#include <QString>

#include <optional>
#include <utility>

namespace iscsiscope::gui {

struct ResponseRange {
    Duration from{}, to{}; // from included, to excluded

    bool contains(Duration d) const { return d >= from && d < to; }
    friend bool operator==(const ResponseRange &, const ResponseRange &) = default;
};

struct CycleBox {
    std::optional<Interval> time; // the cycle ends in it
    std::optional<ResponseRange> response;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> lba; // first and last, both included

    bool holds(const CycleStore &, Row) const;
    // The filter of response time and LBA, in the language of --filter; empty: neither limits it.
    QString expression() const;
    // "response time 2.1 ms to 3.4 ms, end 1.2 s to 1.5 s"
    QString inWords(Time origin) const;
    friend bool operator==(const CycleBox &, const CycleBox &) = default;
};

// A time in the language of --filter, exact: "2.1ms", "17ns".
QString durationLiteral(Duration);
// The time, moved down or up to three digits, so that a box that a hand draws has limits one can read.
Duration roundedDown(Duration);
Duration roundedUp(Duration);

// The filter of the cycles whose size is of this class of the reports.
QString sizeExpression(std::size_t sizeClass);
// The filter of the cycles like this one: type, LUN, size class of the reports, and the session where several
// sessions have a LUN of this number.
QString likeExpression(const Tables &, Row);

} // namespace iscsiscope::gui
