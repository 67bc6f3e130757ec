// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/faults/shared_write_tracker.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/sessions/grouping/unit_names.h"

#include <algorithm>
#include <string>

namespace iscsiscope {
namespace {

// What one host wrote, over all its paths.
struct HostWrites {
    WrittenBlocks blocks;
    IpAddress address;
};

struct UnitWrites {
    std::map<std::string, HostWrites> hosts; // by name
    SharedWrites face;                       // the members that are the same for each pair of hosts
};

bool at_once(Time start, Time end, Time other_start, Time other_end) {
    return start < other_end && other_start < end;
}

// True if one of the first and last Writes of either was open at the same time as one of the other.
bool any_at_once(const WrittenRange &a, const WrittenRange &b) {
    return at_once(a.first_start, a.first_end, b.first_start, b.first_end) ||
           at_once(a.first_start, a.first_end, b.last_start, b.last_end) ||
           at_once(a.last_start, a.last_end, b.first_start, b.first_end) ||
           at_once(a.last_start, a.last_end, b.last_start, b.last_end);
}

// True if the one that wrote last overwrote what the other had read and written in between, without a look at
// it.
bool is_stale(const WrittenRange &last, const WrittenRange &between) {
    return between.first_read < between.last_start && last.last_start > between.first_end &&
           last.first_start < between.first_start && last.last_read < between.first_end;
}

// a began first. In turn: it wrote again after b's first Write.
void compare(const WrittenRange &a, const WrittenRange &b, std::uint64_t blocks, SharedWrites &sum) {
    const bool meet = any_at_once(a, b);
    if (!meet && a.last_start < b.first_end) {
        ++sum.handed_over;
        return;
    }
    if (sum.in_turn++ == 0)
        sum.frames = {a.first_frame, b.first_frame,
                      a.last_start >= b.last_start ? a.last_frame : b.last_frame};
    sum.at_once += meet ? 1 : 0;
    sum.stale += is_stale(a, b) ? 1 : 0;
    sum.blocks += blocks;
}

void compare(const WrittenBlocks &one, const WrittenBlocks &other, SharedWrites &sum) {
    auto a = one.ranges().begin(), b = other.ranges().begin();
    while (a != one.ranges().end() && b != other.ranges().end()) {
        const std::uint64_t from = std::max(a->first, b->first), to = std::min(a->second.end, b->second.end);
        if (from < to && a->second.first_start <= b->second.first_start)
            compare(a->second, b->second, to - from, sum);
        else if (from < to)
            compare(b->second, a->second, to - from, sum);
        (a->second.end <= b->second.end ? a : b)++;
    }
}

} // namespace

void SharedWriteTracker::task(const Member &m, const CycleRecord &r) {
    if (m.unit->initiator_name.empty() || !r.opcode)
        return;
    constexpr std::uint8_t of_reservations[] = {0x16, 0x17, 0x56, 0x57, 0x5e, 0x5f}; // SPC-2 and SPC-4
    constexpr std::uint8_t compare_and_write = 0x89;
    const bool reserves = std::ranges::find(of_reservations, *r.opcode) != std::end(of_reservations);
    const bool compares = *r.opcode == compare_and_write;
    const bool moves = r.outcome == TaskOutcome::good && r.lba && r.blocks && *r.lba + *r.blocks > *r.lba &&
                       r.command_frame && !compares;
    const bool writes = moves && r.type == TaskType::write, reads = moves && r.type == TaskType::read;
    if (!reserves && !compares && !writes && !reads)
        return;
    Written *w = find_or_add(luns_, {r.session, r.lun}, max_luns);
    if (w == nullptr)
        return;
    w->reserved = w->reserved || reserves;
    w->compared = w->compared || compares;
    if (reads)
        w->blocks.read(*r.lba, *r.lba + *r.blocks, r.end);
    if (writes)
        w->blocks.add(*r.lba, {.end = *r.lba + *r.blocks,
                               .first_start = r.start,
                               .first_end = r.end,
                               .last_start = r.start,
                               .last_end = r.end,
                               .first_frame = r.command_frame,
                               .last_frame = r.command_frame});
}

std::vector<SharedWrites> SharedWriteTracker::take(const MemberTable &members, const Luns &luns) const {
    std::vector<SharedWrites> pairs;
    if (luns_.size() < 2)
        return pairs;
    UnitNames names(members, luns);
    // A path whose designator the capture does not show has that of another path with the same name and LUN.
    std::map<std::pair<std::string, std::uint64_t>, std::string> same;
    for (const auto &[at, l] : luns)
        if (const auto e = names.of_session.find(at.first);
            e != names.of_session.end() && !l.designator.empty())
            same.emplace(std::pair(e->second.target_name, at.second), names.unit(at));
    std::map<std::string, UnitWrites> units;
    for (const auto &[at, written] : luns_) {
        const UnitNames::Ends &ends = names.of_session[at.first];
        const auto l = luns.find(at);
        const bool described = l != luns.end() && !l->second.designator.empty();
        const auto twin = same.find({ends.target_name, at.second});
        UnitWrites &u = units[described || twin == same.end() ? names.unit(at) : twin->second];
        SharedWrites &face = u.face;
        face.by_designator = u.hosts.empty() ? described : face.by_designator && described;
        face.lun = at.second;
        face.target = ends.target;
        face.stream = ends.stream.value_or(StreamId{});
        face.reserved = face.reserved || written.reserved;
        face.compared = face.compared || written.compared;
        HostWrites &h = u.hosts[ends.host];
        h.address = ends.initiator.address;
        for (const auto &[from, range] : written.blocks.ranges())
            h.blocks.add(from, range);
    }
    for (const auto &[name, u] : units)
        for (auto one = u.hosts.begin(); one != u.hosts.end(); ++one)
            for (auto other = std::next(one); other != u.hosts.end() && pairs.size() < max_pairs; ++other) {
                SharedWrites s = u.face;
                s.hosts = {one->first, other->first};
                s.addresses = {one->second.address, other->second.address};
                compare(one->second.blocks, other->second.blocks, s);
                if (s.in_turn + s.handed_over > 0)
                    pairs.push_back(std::move(s));
            }
    std::ranges::stable_sort(pairs, std::greater{},
                             [](const SharedWrites &s) { return std::pair(s.at_once + s.stale, s.in_turn); });
    return pairs;
}

} // namespace iscsiscope
