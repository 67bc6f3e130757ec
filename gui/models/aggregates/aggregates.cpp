// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/aggregates/aggregates.h"

#include "analyzer/query/cell.h"
#include "analyzer/tallies/tally.h"
#include "gui/models/histogram_times.h"
#include "gui/models/words.h"

#include <map>
#include <tuple>

namespace iscsiscope::gui {
namespace {

using GroupKey = std::tuple<std::uint64_t, std::uint64_t, TaskType>; // session of a LUN, key, type

// A task whose command is not in the capture has no size.
constexpr std::uint64_t noSize = size_class_count;

GroupKey keyOf(Grouping by, const CycleStore &c, Row r) {
    switch (by) {
    case Grouping::type:
        break;
    case Grouping::lun:
        return {c.session(r).number, c.lun(r), c.type(r)};
    case Grouping::connection:
        return {0, c.stream(r).number, c.type(r)};
    case Grouping::session:
        return {0, c.session(r).number, c.type(r)};
    case Grouping::size: {
        const auto bytes = c.record(r).bytes_expected;
        return {0, bytes ? size_class(*bytes) : noSize, c.type(r)};
    }
    case Grouping::outcome:
        return {0, static_cast<std::uint64_t>(c.outcome(r)), c.type(r)};
    }
    return {0, 0, c.type(r)};
}

} // namespace

Aggregates aggregate(const Snapshot &s, const std::vector<Row> &rows, const std::optional<CycleBox> &box,
                     Grouping by, const std::atomic<bool> &stop) {
    Aggregates a;
    a.grouping = by;
    a.of = rows.size();
    const CycleStore &c = s.tables.cycles;
    std::map<GroupKey, Tally> groups;
    GroupKey lastKey;
    Tally *last = nullptr; // most cycles are of the same group as the one before
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % 4096 == 0 && stop)
            break;
        const Row r = rows[i];
        if (box && !box->holds(c, r))
            continue;
        const GroupKey key = keyOf(by, c, r);
        if (last == nullptr || key != lastKey) {
            last = &groups[key];
            lastKey = key;
        }
        last->add(c.bytesMoved(r), c.outcome(r), c.responseTime(r));
    }
    for (const auto &[key, g] : groups) {
        AggregateRow row;
        std::tie(row.session, row.key, row.type) = key;
        row.count = g.count;
        row.bytes = g.bytes;
        row.answered = g.response_time.count();
        row.time = Duration{g.response_time.sum()};
        for (std::size_t i = 0; i < aggregateQuantiles.size(); ++i)
            row.quantiles[i] = asDuration(g.response_time.quantile(aggregateQuantiles[i]));
        a.count += row.count;
        a.bytes += row.bytes;
        a.time = saturated_sum(a.time, row.time);
        a.rows.push_back(row);
    }
    return a;
}

QString expressionOf(Grouping by, const AggregateRow &row) {
    QString text = QString("type == \"%1\"").arg(words(name(row.type)));
    switch (by) {
    case Grouping::type:
        break;
    case Grouping::lun: {
        Scratch scratch;
        text += QString(" and session == %1 and lun == \"%2\"")
                    .arg(row.session)
                    .arg(words(lun_cell(row.key, scratch)));
        break;
    }
    case Grouping::connection:
        text += QString(" and stream == %1").arg(row.key);
        break;
    case Grouping::session:
        text += QString(" and session == %1").arg(row.key);
        break;
    case Grouping::size:
        text += " and " + (row.key == noSize ? QString("bytes_expected == null") : sizeExpression(row.key));
        break;
    case Grouping::outcome:
        text += QString(" and outcome == \"%1\"").arg(words(name(static_cast<TaskOutcome>(row.key))));
        break;
    }
    return text;
}

} // namespace iscsiscope::gui
