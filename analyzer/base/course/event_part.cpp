// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/course/event_part.h"

#include "analyzer/base/ratio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace iscsiscope {
namespace {

constexpr double min_events = 5, min_dense = 10; // of a part; of one with more events than else
constexpr double event_by_chance = 0.01;
constexpr std::size_t max_event_bins = 128; // each pair of them is looked at

// Of bins before this one.
struct SumsBefore {
    double events = 0, work = 0;
};

struct BinsOfPart {
    std::size_t from = 0, to = 0; // bins
    double events = 0, work = 0;

    // Between two events.
    double rate() const { return (events - 1) / work; }
};

// The bins in which there is work or an event, as sums from the first on: one more than bins.
struct Scan {
    std::vector<CourseBin> bins; // of events; those without have no `count`
    std::vector<SumsBefore> before;

    SumsBefore between(std::size_t from, std::size_t to) const {
        return {before[to].events - before[from].events, before[to].work - before[from].work};
    }
};

Scan scan_of(const Course &events, const Course &work) {
    Scan scan;
    scan.before.emplace_back();
    auto event = events.bins().begin();
    const auto put = [&](const CourseBin *e, double worked) {
        const SumsBefore &last = scan.before.back();
        scan.bins.push_back(e != nullptr ? *e : CourseBin{});
        scan.before.push_back(
            {last.events + (e != nullptr ? static_cast<double>(e->count) : 0), last.work + worked});
    };
    for (const CourseBin &w : work.bins()) {
        for (; event != events.bins().end() && event->number < w.number; ++event)
            put(&*event, 0);
        const bool both = event != events.bins().end() && event->number == w.number;
        put(both ? &*event : nullptr, static_cast<double>(w.count));
        event += both ? 1 : 0;
    }
    for (; event != events.bins().end(); ++event)
        put(&*event, 0);
    return scan;
}

double log_term(double met, double share) {
    return met > 0 ? met * std::log(met / share) : 0;
}

// Of the parts of bins [begin, end) the one with most more events, if chance makes none such; else empty.
// What a rate of its own adds to the logarithm of the likelihood is Chernoff's bound of that chance.
BinsOfPart densest(const Scan &scan, std::size_t begin, std::size_t end) {
    const SumsBefore all = scan.between(begin, end);
    const auto n = static_cast<double>(end - begin);
    BinsOfPart best;
    double most = std::log(n * n / event_by_chance);
    for (std::size_t from = begin; from < end; ++from)
        for (std::size_t to = from + 1; to <= end; ++to) {
            if (scan.bins[from].count == 0 || scan.bins[to - 1].count == 0)
                continue;
            const SumsBefore in = scan.between(from, to);
            const double met = ratio(in.events, all.events), share = ratio(in.work, all.work);
            if (in.events < min_dense || met <= share || share <= 0)
                continue;
            const double gain = all.events * (log_term(met, share) + log_term(1 - met, 1 - share));
            if (gain > most) {
                most = gain;
                best = {from, to, in.events, in.work};
            }
        }
    return best;
}

bool is_empty(const BinsOfPart &part) {
    return part.to == 0;
}

// All bins from the first event to the last one.
BinsOfPart all_events(const Scan &scan) {
    const auto any = [](const CourseBin &b) { return b.count > 0; };
    const auto first = std::ranges::find_if(scan.bins, any);
    const auto last = std::find_if(scan.bins.rbegin(), std::make_reverse_iterator(first), any).base();
    const auto from = static_cast<std::size_t>(first - scan.bins.begin()),
               to = static_cast<std::size_t>(last - scan.bins.begin());
    const SumsBefore in = scan.between(from, to);
    return {from, to, in.events, in.work};
}

// True if chance leaves so much work without an event in one of so many places.
bool explained(const BinsOfPart &part, double work, double places) {
    return places * std::exp(-part.rate() * work) > event_by_chance;
}

// True if a pause of the events in the part is longer than chance makes it.
bool has_pause(const Scan &scan, const BinsOfPart &part) {
    double longest = 0, after = scan.before[part.from].work;
    for (std::size_t i = part.from; i < part.to; ++i)
        if (scan.bins[i].count > 0) {
            longest = std::max(longest, scan.before[i].work - after);
            after = scan.before[i + 1].work;
        }
    return !explained(part, longest, part.events);
}

} // namespace

std::optional<EventPart> event_part_of(const Course &events, const Course &work) {
    std::array<Course, 2> both{events, work};
    const auto too_many = [](const Course &c) { return c.bins().size() > max_event_bins; };
    while (std::ranges::any_of(both, too_many) || both[0].width() != both[1].width()) {
        Course &narrower = both[0].width() < both[1].width() ? both[0] : both[1];
        narrower.widen(narrower.width() * 2);
    }
    const Scan scan = scan_of(both[0], both[1]);
    const BinsOfPart dense = densest(scan, 0, scan.bins.size());
    const BinsOfPart part = is_empty(dense) ? all_events(scan) : dense;
    if (part.events < min_events || has_pause(scan, part))
        return std::nullopt;
    if (!is_empty(dense) &&
        !(is_empty(densest(scan, part.from, part.to)) && is_empty(densest(scan, 0, part.from)) &&
          is_empty(densest(scan, part.to, scan.bins.size()))))
        return std::nullopt;
    const CourseBin &first = scan.bins[part.from], &last = scan.bins[part.to - 1];
    const double before = scan.before[part.from].work, all = scan.before.back().work;
    return EventPart{first.first, last.last, first.frame, explained(part, before, 1),
                     explained(part, all - scan.before[part.to].work, 1)};
}

} // namespace iscsiscope
