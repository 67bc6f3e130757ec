// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/refused_units.h"

#include "analyzer/base/number_format.h"
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/sense_words.h"
#include "analyzer/iscsi/scsi/lun.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace iscsiscope {

std::vector<RefusedUnit> refused_units(const Facts &facts, SenseGroup group) {
    std::map<UnitKey, RefusedUnit> units;
    for (const auto &[key, row] : facts.refusals.rows) {
        if (!key.sense || group_of(*key.sense) != group)
            continue;
        RefusedUnit &u = units[key.unit];
        u.key = key.unit;
        u.all.merge(row);
        u.by_sense[*key.sense] += row.count;
        u.by_opcode[key.opcode] += row.count;
        u.sight = facts.refusals.unit(key.unit);
    }
    std::vector<RefusedUnit> list;
    list.reserve(units.size());
    for (auto &[key, unit] : units)
        list.push_back(std::move(unit));
    std::ranges::stable_sort(list, std::greater{}, [](const RefusedUnit &u) {
        return std::tuple(u.all.of_transfers, u.all.count);
    });
    return list;
}

Refusals total(const std::vector<RefusedUnit> &units) {
    Refusals sum;
    for (const RefusedUnit &u : units)
        sum.merge(u.all);
    return sum;
}

std::string lun_names(const std::vector<RefusedUnit> &units) {
    std::set<std::uint64_t> luns;
    for (const RefusedUnit &u : units)
        luns.insert(u.key.lun);
    if (luns.size() > 3)
        return human::plural(luns.size(), "LUN", "LUNs");
    std::string text = "LUN ";
    for (auto at = luns.begin(); at != luns.end(); ++at)
        text += (at == luns.begin()            ? ""
                 : std::next(at) == luns.end() ? " and "
                                               : ", ") +
                to_string(Lun{*at});
    return text;
}

std::string command_words(const std::vector<RefusedUnit> &units) {
    const Refusals all = total(units);
    std::set<std::string> names;
    bool reads = false, writes = false;
    for (const RefusedUnit &u : units)
        for (const auto &[opcode, count] : u.by_opcode) {
            const std::string name = opcode ? command_name(*opcode) : std::string();
            if (name.starts_with("READ(") || name == "READ")
                reads = true;
            else if (name.starts_with("WRITE(") || name.starts_with("WRITE AND VERIFY"))
                writes = true;
            else
                names.insert(name);
        }
    const std::uint64_t others = all.count - all.of_transfers;
    const char *one = reads == writes ? "Read or Write" : reads ? "Read" : "Write";
    const char *more = reads == writes ? "Reads and Writes" : reads ? "Reads" : "Writes";
    const std::string other = others == 0         ? std::string()
                              : names.size() == 1 ? human::count(others) + " " + *names.begin()
                                                  : some(others, "other command", "other commands");
    return listed({some(all.of_transfers, one, more), other});
}

bool same_lun(std::uint64_t a, std::uint64_t b) {
    const auto number = lun_number(Lun{a});
    return a == b || (number && number == lun_number(Lun{b}));
}

Course course_of_refusals(const Facts &facts, const std::function<bool(const RefusalKey &)> &holds) {
    Course course;
    for (const auto &[key, row] : facts.refusals.rows)
        if (holds(key) && row.last >= row.first)
            course.add(row.first, std::max(row.last - row.first, Duration{1}), row.first_frame.value_or(0));
    return course;
}

Course course_of_refusals(const Facts &facts, SenseGroup group) {
    return course_of_refusals(
        facts, [&](const RefusalKey &k) { return k.sense && group_of(*k.sense) == group; });
}

} // namespace iscsiscope
