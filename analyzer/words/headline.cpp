// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/headline.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/words/share_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr double shown_share = 0.01; // a smaller part of the busy time is left out

bool both_types(const Report &r) {
    return r.of(TaskType::read).count != 0 && r.of(TaskType::write).count != 0;
}

// While a Read or Write was open: data time (docs/figures.md, "Rates").
std::string_view open_words(const Report &r) {
    return both_types(r)                     ? "with I/O open"
           : r.of(TaskType::read).count != 0 ? "while reading"
                                             : "while writing";
}

std::string iops_words(const std::optional<double> &iops) {
    if (!iops)
        return "";
    const auto whole = static_cast<std::uint64_t>(std::llround(*iops));
    return *iops < 10 ? fmt::format(", {:.1f} IOPS", *iops) : fmt::format(", {} IOPS", human::count(whole));
}

HeadlineNumber wire_throughput(const Report &r) {
    const auto range = r.wire.range();
    const auto rate = r.wire.average_rate(), flow_rate = r.wire.flow_rate();
    HeadlineNumber n{"Throughput", "-", ""};
    if (!range || !rate)
        return n;
    n.value = human::rate(*rate);
    n.detail = fmt::format("TCP payload over {}", human::duration(*range));
    if (r.wire.flowing < *range && flow_rate)
        n.detail += fmt::format("; {} without pauses of a second or more", human::rate(*flow_rate));
    return n;
}

HeadlineNumber throughput(const Report &r) {
    if (!tasks_known(r) && r.filter.empty())
        return wire_throughput(r);
    HeadlineNumber n{"Throughput", "-", ""};
    const Rates of = rates(r);
    if (of.tasks == 0) {
        n.detail = "no read or write";
        return n;
    }
    if (!of.throughput) {
        n.detail = "not known: no answer to a read or write is in the capture";
        return n;
    }
    n.value = human::rate(*of.throughput);
    n.detail = fmt::format("{}{}", of.uncertain * 1000 > *of.data_time ? "at most, " : "", open_words(r));
    if (both_types(r)) {
        const Rates reads = rates(r, TaskType::read), writes = rates(r, TaskType::write);
        if (reads.throughput && writes.throughput)
            n.detail += fmt::format(" (reads {}, writes {})", human::rate(*reads.throughput),
                                    human::rate(*writes.throughput));
    }
    n.detail += iops_words(of.iops);
    if (of.average_throughput && of.range && *of.range > *of.data_time * 11 / 10)
        n.detail +=
            fmt::format("; {} over all {}", human::rate(*of.average_throughput), human::duration(*of.range));
    return n;
}

// The median at the host, where the way to the host adds a tenth or more to the one at the tap: rates
// and commands in flight are the host's, and do not fit the times at the tap. Empty otherwise.
std::optional<std::int64_t> median_for_host(const TypeTally &t) {
    const Histogram &at_tap = t.of(CycleFigure::response_time);
    const auto tap = at_tap.quantile(0.5), host = t.host_response_time.quantile(0.5);
    if (!tap || !host || t.host_response_time.count() != at_tap.count() || *host - *tap < *tap / 10)
        return std::nullopt;
    return host;
}

// ", p99 1.9 ms, longest 3.1 ms", or " (2.3 ms at the host), p99 1.9 ms": times behind the median.
std::string further_times(const TypeTally &t) {
    const Histogram &h = t.of(CycleFigure::response_time);
    const std::string p99 = human::duration(h.quantile(0.99)), longest = human::duration(h.maximum());
    if (const auto host = median_for_host(t))
        return fmt::format(" ({} at the host), p99 {}", human::duration(host), p99);
    return p99 == longest ? ", p99 and longest " + longest
                          : fmt::format(", p99 {}, longest {}", p99, longest);
}

HeadlineNumber response_time(const Report &r) {
    HeadlineNumber n{"Response time", "-", ""};
    TaskType first = TaskType::read, second = TaskType::write;
    const auto times = [&](TaskType t) -> const Histogram & {
        return r.of(t).of(CycleFigure::response_time);
    };
    if (times(second).count() > times(first).count())
        std::swap(first, second);
    const Histogram &most = times(first), &others = times(second);
    if (most.count() == 0) {
        n.detail = "no read or write with its answer";
        return n;
    }
    n.value = human::duration(most.quantile(0.5));
    n.detail = fmt::format("median of {}s{}", name(first), further_times(r.of(first)));
    if (others.count() != 0)
        n.detail += fmt::format("; {}s: median {}{}", name(second), human::duration(others.quantile(0.5)),
                                further_times(r.of(second)));
    return n;
}

// The size of all Reads and Writes, if it is one.
std::optional<std::uint64_t> common_size(const Report &r) {
    std::optional<std::uint64_t> size;
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        std::uint64_t known = 0;
        for (const SizeTally &s : r.of(type).sizes) {
            if (s.count == 0)
                continue;
            if (s.smallest != s.largest || (size && *size != s.smallest))
                return std::nullopt;
            size = s.smallest;
            known += s.count;
        }
        if (known != r.of(type).count)
            return std::nullopt;
    }
    return size;
}

HeadlineNumber in_flight(const Report &r) {
    HeadlineNumber n{"In flight", "-", ""};
    const Rates of = rates(r);
    if (!of.outstanding)
        return n;
    const double mean = *of.outstanding;
    n.value = fmt::format("{:.{}f}", mean, mean < 9.95 ? 1 : 0);
    const bool one = n.value == "1.0";
    n.value = one ? "1" : n.value;
    const std::string what = both_types(r) ? "command" : r.of(TaskType::read).count != 0 ? "read" : "write";
    const auto size = common_size(r);
    n.detail = fmt::format("{}{}{} on average {}", what, one ? "" : "s",
                           size ? " of " + human::block(*size) : "", open_words(r));
    const std::uint64_t connections = connection_count(r);
    const std::uint32_t most =
        std::max(r.of(TaskType::read).deepest_queue, r.of(TaskType::write).deepest_queue);
    n.detail += connections > 1
                    ? fmt::format(", over {} connections; at most {} on one", human::count(connections), most)
                    : fmt::format("; at most {}", most);
    return n;
}

HeadlineNumber busy_time(const Report &r) {
    HeadlineNumber n{"Busy time", "-", "not known"};
    OwnerTimes all;
    for (const OwnerTimes &t : r.type_owners)
        all += t;
    if (all.sum() <= Duration{})
        return n;
    n.detail.clear();
    const auto shares = longest_first(owner_shares(all));
    const auto shown = std::count_if(shares.begin(), shares.end(),
                                     [](const OwnerShare &s) { return s.share >= shown_share; });
    for (const OwnerShare &share : shares) {
        const std::string part = fmt::format("{} {}", share.name, rough_share(share.share));
        // Beside two others the words would not fit the line.
        const char *what = share.kind == Owner::network && shown < 3 ? "(distance, queues, resends)" : "";
        if (n.value == "-") {
            n.value = part;
            n.detail = what;
            n.list = n.detail.empty();
        } else if (share.share >= shown_share) {
            n.detail +=
                fmt::format("{}{}{}{}", n.detail.empty() ? "" : ", ", part, *what != '\0' ? " " : "", what);
        }
    }
    if (!tasks_known(r))
        n.detail += fmt::format("{} of the commands found", n.detail.empty() ? "" : ";");
    return n;
}

} // namespace

std::string words(const HeadlineNumber &n) {
    if (n.value == "-")
        return n.detail.empty() ? "not known" : n.detail;
    if (n.detail.empty())
        return n.value;
    return n.value + (n.list ? ", " : " ") + n.detail;
}

std::vector<HeadlineNumber> headline(const Report &r) {
    return {throughput(r), response_time(r), in_flight(r), busy_time(r)};
}

} // namespace iscsiscope
