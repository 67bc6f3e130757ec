// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/rates.h"

#include "analyzer/base/ratio.h"
#include "analyzer/figures/totals.h"

#include <algorithm>

namespace iscsiscope {
namespace {

Rates rates_of(const RateTally::Part &p, std::uint64_t tasks, std::uint64_t bytes,
               std::optional<Duration> range) {
    Rates r = average_rates(tasks, bytes, range);
    if (p.answered == 0)
        return r;
    r.data_time = p.open.length();
    r.uncertain = p.open.uncertain();
    r.throughput = per_second(bytes, r.data_time);
    r.iops = per_second(tasks, r.data_time);
    r.outstanding = quotient(p.open.sum(), *r.data_time);
    return r;
}

Rates rates_of(const RateTally::Part &p, std::optional<Duration> range) {
    return rates_of(p, p.count, p.bytes, range);
}

// Adds the bytes on the wire of all connections that `time` is of.
Rates with_wire(Rates rates, const Report &r, const ActiveTime &time) {
    // Records that are replayed with a range come without the bytes.
    if (r.filter.empty() && (r.range.everything() || r.wire.total() != 0)) {
        rates.wire_bytes = time.wire_bytes;
        if (tasks_known(r))
            rates.wire_rate = per_second(time.wire_bytes, rates.data_time);
    }
    return rates;
}

void add_rows(std::vector<RateRow> &all, const Report &r, std::optional<SessionId> session,
              std::optional<std::uint64_t> lun, const RateTally &tally) {
    const auto range = elapsed(r);
    const std::pair<std::string_view, const RateTally::Part *> parts[] = {
        {"read", &tally.read}, {"write", &tally.write}, {"both", &tally.both}};
    for (const auto &[type, part] : parts) {
        if (session && part->count == 0)
            continue;
        all.push_back({session, lun, type, rates_of(*part, range)});
        const auto time = session ? r.session_time.find(*session) : r.session_time.end();
        if (part == &tally.both && !lun && (!session || time != r.session_time.end()))
            all.back().rates = with_wire(all.back().rates, r, session ? time->second : r.time);
    }
}

} // namespace

bool tasks_known(const Report &r) {
    const IscsiCoverage &c = r.capture.coverage;
    const auto headless = [](const TypeTally &t) { return t.of(TaskOutcome::no_command) != 0; };
    return c.skipped_bytes <= c.stream_bytes / 1000 &&
           (c.cut_bytes + c.unseen_bytes == 0 || std::ranges::none_of(r.types, headless));
}

Rates average_rates(std::uint64_t tasks, std::uint64_t bytes, std::optional<Duration> range) {
    Rates r;
    r.tasks = tasks;
    r.bytes = bytes;
    r.range = range;
    r.average_throughput = per_second(bytes, range);
    r.average_iops = per_second(tasks, range);
    return r;
}

Rates rates(const Report &r, TaskType type, std::uint64_t tasks, std::uint64_t bytes) {
    if (type == TaskType::control)
        return average_rates(tasks, bytes, elapsed(r));
    return rates_of(type == TaskType::read ? r.rates.read : r.rates.write, tasks, bytes, elapsed(r));
}

Rates rates(const Report &r, TaskType type) {
    return rates(r, type, r.of(type).count, r.of(type).bytes);
}

Rates rates(const Report &r, SessionId session, std::uint64_t tasks, std::uint64_t bytes) {
    const auto at = r.session_rates.find(session);
    return at == r.session_rates.end() ? average_rates(tasks, bytes, elapsed(r))
                                       : rates_of(at->second.both, tasks, bytes, elapsed(r));
}

Rates rates(const Report &r) {
    return with_wire(rates_of(r.rates.both, elapsed(r)), r, r.time);
}

std::vector<RateRow> rate_rows(const Report &r) {
    std::vector<RateRow> all;
    add_rows(all, r, std::nullopt, std::nullopt, r.rates);
    for (const auto &[session, tally] : r.session_rates) {
        add_rows(all, r, session, std::nullopt, tally);
        for (auto at = r.luns.lower_bound({session, 0}); at != r.luns.end() && at->first.first == session;
             ++at)
            add_rows(all, r, session, at->first.second, at->second.rates);
    }
    return all;
}

} // namespace iscsiscope
