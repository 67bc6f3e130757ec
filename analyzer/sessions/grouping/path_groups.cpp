// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/path_groups.h"

#include "analyzer/base/extent.h"
#include "analyzer/base/ratio.h"
#include "analyzer/iscsi/scsi/lun.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace iscsiscope {
namespace {

// One session's view of one LUN.
struct Path {
    const MemberUnit *unit = nullptr;
    std::uint64_t lun = 0;
    Extent active; // of all its tasks
    TaskRow moved; // Reads and Writes
    const LunRecord *facts = nullptr;
    std::string initiator;
    bool initiator_named = false;
};

using Paths = std::map<std::pair<GroupId, std::uint64_t>, Path>; // by group's number and LUN

// Returns the designators and serial numbers that several LUNs of one session report: they do not identify a
// logical unit. LIO makes them from a serial number that may never have been set.
std::set<std::string> shared_identities(const Paths &all) {
    std::set<std::string> shared;
    std::set<std::pair<GroupId, std::string>> seen; // session, identity
    for (const auto &[key, p] : all)
        if (p.facts != nullptr)
            for (const std::string &identity : std::set{p.facts->designator, p.facts->serial})
                if (!identity.empty() && !seen.emplace(key.first, identity).second)
                    shared.insert(identity);
    return shared;
}

PathGroup shares(SameLunBy by, const std::string &identity, const std::vector<Path *> &paths) {
    PathGroup g;
    g.by = by;
    g.identity = identity;
    g.initiator = paths.front()->initiator;
    g.guess = by == SameLunBy::name_and_lun;
    std::uint64_t tasks = 0, bytes = 0;
    Extent active;
    for (const Path *p : paths) {
        g.guess |= !p->initiator_named;
        tasks += p->moved.count;
        bytes += p->moved.bytes;
        active.add(p->active);
    }
    std::vector<double> by_bytes, by_tasks;
    for (Path *p : paths) {
        PathShare s;
        s.session = group_led_by(p->unit->session);
        s.lun = p->lun;
        s.tasks = p->moved.count;
        s.bytes = p->moved.bytes;
        s.task_share = ratio(s.tasks, tasks);
        s.byte_share = ratio(s.bytes, bytes);
        s.iops = per_second(s.tasks, active.length());
        g.idle_paths += s.tasks == 0 ? 1 : 0;
        by_bytes.push_back(static_cast<double>(s.bytes));
        by_tasks.push_back(static_cast<double>(s.tasks));
        s.response_time.merge(p->moved.response_time);
        s.service_time.merge(p->moved.service_time);
        g.paths.push_back(std::move(s));
    }
    g.by_bytes = spread_of(by_bytes);
    g.by_tasks = spread_of(by_tasks);
    return g;
}

} // namespace

std::vector<PathGroup> path_groups(const MemberTable &table, const std::vector<TaskTally::Cell> &cells,
                                   const Luns &luns) {
    Paths all;
    for (const TaskTally::Cell &c : cells) {
        const Member &m = *table.members()[c.member];
        const MemberUnit *unit = m.unit->root();
        Path &p = all[{group_led_by(unit->session), c.lun}];
        p.unit = unit;
        p.lun = c.lun;
        p.active.add(c.row.active);
        if (c.type != TaskType::control)
            p.moved.merge(c.row);
        p.initiator = initiator_label(m);
        p.initiator_named = !m.unit->initiator_name.empty();
    }
    for (const auto &[at, l] : luns)
        for (const auto &unit : table.units())
            if (unit->session == l.session)
                if (const auto path = all.find({unit->group_number(), l.lun}); path != all.end())
                    path->second.facts = &l;

    const std::set<std::string> shared = shared_identities(all);
    const auto identifies = [&](const std::string &identity) {
        return !identity.empty() && !shared.contains(identity);
    };
    std::map<std::array<std::string, 3>, std::vector<Path *>> same; // initiator, how, what
    for (auto &[key, p] : all) {
        std::string by = "name", what;
        if (p.facts != nullptr && identifies(p.facts->designator)) {
            by = "designator";
            what = p.facts->designator;
        } else if (p.facts != nullptr && identifies(p.facts->serial)) {
            by = "serial";
            what = p.facts->serial;
        } else if (!p.unit->target_name.empty()) {
            what = p.unit->target_name + " LUN " + to_string(Lun{p.lun});
        } else {
            continue; // the LUN cannot be identified
        }
        same[{p.initiator, by, what}].push_back(&p);
    }
    std::vector<PathGroup> groups;
    for (const auto &[key, paths] : same) {
        // A session that follows another in time is no second path.
        std::vector<Path *> together;
        for (Path *p : paths)
            if (std::ranges::any_of(paths,
                                    [p](const Path *q) { return q != p && p->active.touches(q->active); }))
                together.push_back(p);
        if (together.size() < 2)
            continue;
        groups.push_back(shares(key[1] == "designator" ? SameLunBy::designator
                                : key[1] == "serial"   ? SameLunBy::serial
                                                       : SameLunBy::name_and_lun,
                                key[2], together));
    }
    return groups;
}

} // namespace iscsiscope
