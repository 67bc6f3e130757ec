// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/mirror_tracker.h"

#include "analyzer/base/ratio.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

constexpr std::uint64_t enough_pairs = 8;

std::size_t place_of(std::uint32_t initiator, std::uint64_t lba, std::uint64_t blocks) {
    std::uint64_t x = (lba * 0x9e3779b97f4a7c15U) ^ (blocks << 20) ^ initiator;
    x *= 0xbf58476d1ce4e5b9U;
    return static_cast<std::size_t>(x >> 52);
}
static_assert(MirrorTracker::places == std::size_t{1} << 12);

bool note_partner(std::array<std::uint32_t, MirrorTracker::max_copies> &paired, std::uint32_t unit) {
    for (std::uint32_t &p : paired) {
        if (p == unit + 1)
            return false; // already paired with a Write of that unit
        if (p == 0) {
            p = unit + 1;
            return true;
        }
    }
    return false;
}

} // namespace

void MirrorTracker::pair(Copy &a, Copy &b) {
    if (!note_partner(a.paired, b.unit) || !note_partner(b.paired, a.unit))
        return;
    const bool swapped = b.unit < a.unit;
    const Copy &first = swapped ? b : a, &second = swapped ? a : b;
    auto found = std::ranges::find_if(pairs_, [&](const auto &p) {
        return p->units[0] == first.unit && p->units[1] == second.unit &&
               p->figures.members[0].lun == first.lun && p->figures.members[1].lun == second.lun;
    });
    if (found == pairs_.end()) {
        if (pairs_.size() == max_pairs)
            return;
        found = pairs_.insert(found, std::make_unique<Pair>());
        (*found)->units = {first.unit, second.unit};
        (*found)->figures.members[0].lun = first.lun;
        (*found)->figures.members[1].lun = second.lun;
        keep_earlier((*found)->figures.first_frame, first.frame);
        keep_earlier((*found)->figures.first_frame, second.frame);
    }
    MirrorPair &f = (*found)->figures;
    ++f.pairs;
    f.bytes += first.bytes;
    const Duration skew = second.end - first.end;
    f.skew.add(std::abs(to_ns(skew)));
    f.members[0].response_time.add(to_ns(first.end - first.start));
    f.members[1].response_time.add(to_ns(second.end - second.start));
    if (skew == Duration{0}) {
        ++f.ties;
    } else {
        MirrorPair::Member &late = f.members[skew > Duration{0} ? 1 : 0];
        ++late.last;
        late.held += skew > Duration{0} ? skew : -skew;
    }
}

void MirrorTracker::write(const Member &m, const CycleRecord &r) {
    if (!r.lba || !r.blocks || *r.blocks == 0 || !r.response_time)
        return;
    if (table_.empty())
        table_.resize(places);
    Place &place = table_[place_of(m.initiator_key, *r.lba, *r.blocks)];
    if (place.initiator != m.initiator_key || place.lba != *r.lba || place.blocks != *r.blocks) {
        place = Place{};
        place.initiator = m.initiator_key;
        place.lba = *r.lba;
        place.blocks = *r.blocks;
    }
    Copy mine{m.unit->index,   r.lun, r.left_initiator(), r.back_at_initiator(), r.bytes_moved,
              r.command_frame, {}};
    // A later Write of the same unit replaces the earlier one; without a free entry the oldest is replaced.
    Copy *own = nullptr, *oldest = &place.copies[0];
    for (std::uint32_t i = 0; i < place.count; ++i) {
        Copy &c = place.copies[i];
        if (c.unit == mine.unit && c.lun == mine.lun)
            own = &c;
        else if (c.unit != mine.unit && c.start < mine.end && mine.start < c.end)
            pair(c, mine);
        if (c.start < oldest->start)
            oldest = &c;
    }
    if (own == nullptr)
        own = place.count < max_copies ? &place.copies[place.count++] : oldest;
    *own = mine;
}

std::vector<MirrorPair> MirrorTracker::take(const MemberTable &table,
                                            const std::vector<TaskTally::Cell> &cells, const Luns &luns) {
    const auto identity = [&](SessionId session, std::uint64_t lun) {
        const auto at = luns.find({session, lun});
        if (at == luns.end())
            return std::string();
        return at->second.designator.empty() ? at->second.serial : at->second.designator;
    };
    std::vector<MirrorPair> all;
    for (const auto &p : pairs_) {
        MirrorPair &f = p->figures;
        const std::array<MemberUnit *, 2> units{table.units()[p->units[0]].get(),
                                                table.units()[p->units[1]].get()};
        if (f.pairs < enough_pairs || units[0]->root() == units[1]->root())
            continue;
        const std::string same = identity(units[0]->session, f.members[0].lun);
        if (!same.empty() && same == identity(units[1]->session, f.members[1].lun))
            continue; // two paths to one LUN
        for (std::size_t i = 0; i < 2; ++i) {
            MirrorPair::Member &m = f.members[i];
            m.session = units[i]->group_number();
            for (const TaskTally::Cell &c : cells)
                if (c.type == TaskType::write && c.lun == m.lun &&
                    table.members()[c.member]->unit == units[i])
                    m.writes += c.row.count;
            m.held_share = ratio(m.last, f.pairs);
        }
        const std::uint64_t fewer = std::min(f.members[0].writes, f.members[1].writes);
        f.paired_share = ratio(f.pairs, fewer);
        if (f.pairs * 2 >= fewer)
            all.push_back(std::move(f));
    }
    return all;
}

} // namespace iscsiscope
