// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/place.h"

#include "analyzer/base/course/chance.h"
#include "analyzer/base/ratio.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

namespace iscsiscope {
namespace {

constexpr double nearly_all = 0.9;   // of the waits and of their time lie in the subset
constexpr double much = 0.75;        // a subset of more of the Reads and Writes is no news
constexpr std::uint64_t others = 10; // so many of them must have been able to meet the cause, too
constexpr double rarely = 0.001;     // how often chance may make such a subset

struct PlaceSums {
    std::uint64_t tasks = 0, waits = 0;
    Duration busy{}, lost{};

    void add(const PlaceSums &s) {
        tasks += s.tasks;
        waits += s.waits;
        busy += s.busy;
        lost += s.lost;
    }
};

// What the Reads and Writes, or other commands, of one logical unit and type on one connection met.
struct PlaceCell {
    const ConnectionFacts *connection = nullptr;
    LunType key;
    PlaceSums sums;
};

std::vector<PlaceCell> cells_of(const Lost &lost, const Facts &facts) {
    std::map<std::pair<StreamId, LunType>, PlaceSums> of_lost;
    for (const LostOfLunType &g : lost.by_lun)
        of_lost[{g.stream, g.sum.key}].add({0, g.sum.count, {}, g.sum.time});
    std::vector<PlaceCell> cells;
    for (const ConnectionFacts &c : facts.connections)
        for (const LunTypeSum &g : c.by_lun.sums()) {
            const bool transfer = g.key.type != TaskType::control; // of others no type is news
            PlaceCell cell{&c, g.key, {transfer ? g.count : 0, 0, g.time, {}}};
            if (const auto at = of_lost.find({c.record.stream, g.key}); at != of_lost.end())
                cell.sums.add(at->second);
            cells.push_back(cell);
        }
    return cells;
}

// What distinguishes the subsets of one dimension.
using PlaceName = std::tuple<IpAddress, std::uint64_t, std::uint64_t>;

PlaceName name_in(PlaceKind kind, const PlaceCell &c) {
    switch (kind) {
    case PlaceKind::connection:
        return {IpAddress{}, c.connection->record.stream.number, 0};
    case PlaceKind::initiator:
        return {c.connection->record.initiator.address, 0, 0};
    case PlaceKind::target:
        return {c.connection->record.target.address, 0, 0};
    case PlaceKind::lun:
        return {c.connection->record.target.address, c.key.lun, 1};
    case PlaceKind::type:
        return {IpAddress{}, static_cast<std::uint64_t>(c.key.type), 0};
    }
    return {};
}

// Waits outside the subset, as many as they are in time of those inside: one that is far shorter is no news.
double as_many_outside(const PlaceSums &in, const PlaceSums &all) {
    const double each = ratio(amount(in.lost), static_cast<double>(in.waits));
    return std::min(static_cast<double>(all.waits - in.waits),
                    std::ceil(ratio(amount(all.lost - in.lost), each)));
}

// True if chance makes it too seldom that so many of the waits fall on so small a part of the commands.
bool beyond_chance(double inside, double outside, double part) {
    return part > 0 && chance_of(inside + outside, inside / (inside + outside), part) < rarely;
}

bool explains(const PlaceSums &in, const PlaceSums &all) {
    const double part = ratio(in.tasks, all.tasks), inside = static_cast<double>(in.waits),
                 outside = as_many_outside(in, all);
    return ratio(in.lost, all.lost) >= nearly_all && inside >= nearly_all * (inside + outside) &&
           part <= much && all.tasks - in.tasks >= others && beyond_chance(inside, outside, part);
}

PlaceSums sum_of(const std::vector<PlaceCell> &cells) {
    PlaceSums sums;
    for (const PlaceCell &c : cells)
        sums.add(c.sums);
    return sums;
}

// The cells of the subset of this dimension in which nearly all is; empty: there is none.
std::vector<PlaceCell> subset(PlaceKind kind, const std::vector<PlaceCell> &cells, const PlaceSums &all) {
    std::map<PlaceName, std::vector<PlaceCell>> subsets;
    for (const PlaceCell &c : cells)
        subsets[name_in(kind, c)].push_back(c);
    for (const auto &[name, in] : subsets)
        if (explains(sum_of(in), all))
            return in;
    return {};
}

bool is_of_losses(FindingKind k) {
    return k == FindingKind::packet_loss || k == FindingKind::retransmission_timeout;
}

// The cells of the connection on which nearly all segments were lost, if that is more than its part of the
// segments explains; empty: there is none. Each loss counts, whatever time its repair took.
std::vector<PlaceCell> losing(const std::vector<PlaceCell> &cells, const Facts &facts) {
    PlaceSums all;
    for (const ConnectionFacts &c : facts.connections)
        all.add({c.segments().segments, segments_lost(c), {}, {}});
    std::vector<PlaceCell> of_one;
    for (const ConnectionFacts &c : facts.connections) {
        const PlaceSums in{c.segments().segments, segments_lost(c), {}, {}};
        const double part = ratio(in.tasks, all.tasks);
        if (ratio(in.waits, all.waits) >= nearly_all && part <= much &&
            beyond_chance(static_cast<double>(in.waits), static_cast<double>(all.waits - in.waits), part))
            std::ranges::copy_if(cells, std::back_inserter(of_one),
                                 [&](const PlaceCell &cell) { return cell.connection == &c; });
    }
    return of_one;
}

// True if all that the kind can cost is of one type of command.
bool is_of_one_type(FindingKind k) {
    return k == FindingKind::r2t_ping_pong || k == FindingKind::no_unsolicited_data ||
           k == FindingKind::slow_r2t_answer;
}

} // namespace

FindingPlace place_of(FindingKind kind, const Lost &lost, const Facts &facts) {
    FindingPlace place;
    if (kind == FindingKind::capture_quality)
        return place; // it is the capture's
    const std::vector<PlaceCell> cells = cells_of(lost, facts);
    const PlaceSums all = sum_of(cells);
    // What the target owns is looked for behind it first, anything else on the way to it.
    const bool of_target = lost.owners[Owner::target] * 2 > lost.time();
    const PlaceKind order[] = {of_target ? PlaceKind::lun : PlaceKind::connection, PlaceKind::initiator,
                               PlaceKind::target, of_target ? PlaceKind::connection : PlaceKind::lun};
    std::vector<PlaceCell> least = is_of_losses(kind) ? losing(cells, facts) : std::vector<PlaceCell>{};
    if (!least.empty())
        place.kind = PlaceKind::connection;
    for (const PlaceKind k : order)
        if (std::vector<PlaceCell> in = subset(k, cells, all);
            !in.empty() && (least.empty() || sum_of(in).tasks < sum_of(least).tasks)) {
            place.kind = k;
            least = std::move(in);
        }
    const std::vector<PlaceCell> &rest = least.empty() ? cells : least;
    if (!is_of_one_type(kind))
        if (std::vector<PlaceCell> in = subset(PlaceKind::type, rest, sum_of(rest)); !in.empty()) {
            place.type = in.front().key.type;
            least = std::move(in);
        }
    if (least.empty())
        return place;
    const PlaceSums in = sum_of(least);
    const PlaceCell &any = least.front();
    place.stream = any.connection->record.stream;
    place.lun = any.key.lun;
    if (place.kind == PlaceKind::initiator)
        place.address = any.connection->record.initiator.address;
    if (place.kind == PlaceKind::target || place.kind == PlaceKind::lun)
        place.address = any.connection->record.target.address;
    place.share = ratio(in.lost, in.busy);
    place.share_of_others = ratio(all.lost - in.lost, all.busy - in.busy);
    place.part = ratio(in.lost, all.lost);
    return place.share_of_others * 2 <= place.share ? place : FindingPlace{};
}

} // namespace iscsiscope
