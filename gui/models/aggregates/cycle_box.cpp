// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/aggregates/cycle_box.h"

#include "analyzer/query/cell.h"
#include "analyzer/tallies/tally.h"
#include "gui/models/words.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace iscsiscope::gui {
namespace {

using namespace std::chrono_literals;

QString cycleBoxText(const char *text) {
    return QCoreApplication::translate("CycleBox", text);
}

// The power of ten, in nanoseconds, by which a time above 999 ns is rounded to three digits.
Duration roundingOf(Duration d) {
    Duration step = 1ns;
    while (d / step > 999)
        step *= 10;
    return step;
}

} // namespace

bool CycleBox::holds(const CycleStore &c, Row r) const {
    if (time && !time->contains(c.end(r)))
        return false;
    if (response) {
        const auto t = c.responseTime(r);
        if (!t || !response->contains(*t))
            return false;
    }
    return !lba || (c.hasLba(r) && c.lba(r) >= lba->first && c.lba(r) <= lba->second);
}

QString durationLiteral(Duration d) {
    struct Step {
        Duration size;
        int digits;
        const char *unit;
    };
    for (const auto &[size, digits, unit] : {Step{1s, 9, "s"}, Step{1ms, 6, "ms"}, Step{1us, 3, "us"}}) {
        if (d < size)
            continue;
        QString text = QString::number(d / size);
        if (d % size != Duration{}) {
            text += QString(".%1").arg(to_ns(d % size), digits, 10, QChar('0'));
            while (text.endsWith('0'))
                text.chop(1);
        }
        return text + unit;
    }
    return QString::number(to_ns(d)) + "ns";
}

Duration roundedDown(Duration d) {
    const Duration step = roundingOf(d);
    return d / step * step;
}

Duration roundedUp(Duration d) {
    const Duration step = roundingOf(d);
    return (d + step - 1ns) / step * step;
}

QString CycleBox::expression() const {
    QStringList all;
    if (response) {
        all << "response_time >= " + durationLiteral(response->from)
            << "response_time < " + durationLiteral(response->to);
    }
    if (lba)
        all << QString("lba >= %1").arg(lba->first) << QString("lba <= %1").arg(lba->second);
    return all.join(" and ");
}

QString CycleBox::inWords(Time origin) const {
    QStringList all;
    if (response) {
        all << cycleBoxText("response time from %1 to below %2")
                   .arg(durationWords(response->from), durationWords(response->to));
    }
    if (lba)
        all << cycleBoxText("LBA %1 to %2").arg(lba->first).arg(lba->second);
    if (time) {
        const Duration step = std::max(time->length() / 100, 1ns);
        all << cycleBoxText("ended from %1 to %2")
                   .arg(secondWords(time->from - origin, step), secondWords(time->to - origin, step));
    }
    return all.join(", ");
}

QString sizeExpression(std::size_t sizeClass) {
    return sizeClass < 2 ? QString("bytes_expected == %1").arg(sizeClass)
                         : QString("bytes_expected > %1 and bytes_expected <= %2")
                               .arg(std::uint64_t{1} << (sizeClass - 2))
                               .arg(std::uint64_t{1} << (sizeClass - 1));
}

QString likeExpression(const Tables &tables, Row row) {
    const CycleRecord r = tables.cycles.record(row);
    Scratch scratch;
    QStringList all{QString("type == \"%1\"").arg(words(name(r.type))),
                    QString("lun == \"%1\"").arg(words(lun_cell(r.lun, scratch)))};
    const auto sameNumber =
        std::ranges::count_if(tables.luns, [&](const auto &l) { return l.first.second == r.lun; });
    if (sameNumber > 1)
        all.prepend(QString("session == %1").arg(r.session.number));
    if (r.bytes_expected)
        all << sizeExpression(size_class(*r.bytes_expected));
    return all.join(" and ");
}

} // namespace iscsiscope::gui
