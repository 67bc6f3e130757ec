// SPDX-License-Identifier: GPL-2.0-or-later
// Where the time goes: both partitions, the phases' distributions, bursts and gaps.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/kind_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace iscsiscope {
namespace {

template <class Kind>
void bars(Page &page, const std::vector<Share<Kind>> &parts) {
    for (const Share<Kind> &p : longest_first(parts))
        page.bar(std::string(p.name), p.share, human::duration(p.time), std::string(explanation(p.kind)));
}

std::vector<std::string> figure_headings(const std::vector<double> &quantiles, std::string first) {
    std::vector<std::string> h = {std::move(first), ">count", ">mean"};
    for (const double q : quantiles)
        h.push_back(">" + quantile_name(q));
    h.emplace_back(">max");
    return h;
}

std::vector<std::string> figure_cells(const std::vector<double> &quantiles, std::string first,
                                      const Histogram &h) {
    std::vector<std::string> row = {std::move(first), human::count(h.count()),
                                    h.mean() ? human::duration(std::llround(*h.mean())) : "-"};
    for (const double q : quantiles)
        row.push_back(human::duration(h.quantile(q)));
    row.push_back(human::duration(h.maximum()));
    return row;
}

std::string burst_sizes(const BurstTally &b) {
    const auto least = b.desired_bytes.minimum(), most = b.desired_bytes.maximum();
    if (!most)
        return " (their R2Ts are not in the capture)";
    const std::string size = human::block(static_cast<std::uint64_t>(*most));
    return *least == *most
               ? fmt::format(" of {}", size)
               : fmt::format(" of {} to {}", human::block(static_cast<std::uint64_t>(*least)), size);
}

// With a filter, what the bars of all connections add up to; else the words for their active life.
std::string whole_words(const Report &r, std::string life) {
    return r.filter.empty() ? std::move(life)
                            : fmt::format("{} of busy time, that of the filter's commands",
                                          human::duration(r.time.active));
}

} // namespace

void time_section(Page &page, const Report &r) {
    if (r.time.active > Duration{0}) {
        page.heading(
            "WHERE THE CONNECTIONS' TIME GOES",
            whole_words(r, fmt::format("{} active on {}, first command to last status",
                                       human::duration(r.time.active),
                                       human::plural(connection_count(r), "connection", "connections"))));
        if (const auto share = busy_share(r.time); share && r.filter.empty()) {
            const bool least = r.time.busy_at_least;
            std::string text =
                fmt::format("{}{} ({}), with a task outstanding at the initiator; {}{} with none",
                            least ? "at least " : "", human::duration(r.time.busy), human::share(*share),
                            least ? "at most " : "", human::duration(r.time.without_task));
            if (r.time.one_sided > Duration{0})
                text += fmt::format("; not known of {}, of which one direction was captured",
                                    human::duration(r.time.one_sided));
            page.item("Busy", text);
        }
        bars(page, time_shares(r.time));
    }
    if (r.time.owners.sum() > Duration{0}) {
        page.heading("BUSY TIME BY OWNER", "network: distance, queues and retransmissions");
        for (const OwnerShare &p : longest_first(owner_shares(r.time.owners)))
            page.bar(std::string(p.name), p.share, human::duration(p.time),
                     fmt::format("{}: {}", p.name, explanation(p.kind)));
    }
    for (const TaskType type : {TaskType::read, TaskType::write, TaskType::control}) {
        const TypeTally &t = r.of(type);
        const std::vector<PhaseShare> parts = phase_shares(t);
        const Duration total = whole(parts);
        const bool beside_others = type == TaskType::control && t.count != r.tasks();
        if (total > Duration{} && !beside_others) {
            page.heading(fmt::format("WHERE A {} CYCLE'S TIME GOES", type == TaskType::read    ? "READ"
                                                                     : type == TaskType::write ? "WRITE"
                                                                                               : "CONTROL"),
                         fmt::format("{} over {}; tasks at the same time count each", human::duration(total),
                                     human::plural(t.count, "task", "tasks")));
            bars(page, parts);
        }
    }
}

void time_overview(Page &page, const Report &r) {
    constexpr double least = 0.01;
    if (r.time.active <= Duration{0})
        return;
    page.heading(
        "WHERE THE TIME GOES",
        whole_words(r,
                    fmt::format("{} from first command to last status, on {}", human::duration(r.time.active),
                                human::plural(connection_count(r), "connection", "connections"))));
    Duration rest{};
    std::size_t small = 0;
    for (const TimeShare &p : longest_first(time_shares(r.time))) {
        if (p.share >= least) {
            page.bar(std::string(p.name), p.share, human::duration(p.time), explanation(p.kind));
        } else {
            rest += p.time;
            ++small;
        }
    }
    if (small != 0)
        page.bar("", static_cast<double>(rest.count()) / static_cast<double>(r.time.active.count()),
                 human::duration(rest), human::plural(small, "smaller part", "smaller parts"));
}

void phases_section(Page &page, const Report &r) {
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const TypeTally &t = r.of(type);
        if (t.of(CycleFigure::response_time).count() == 0)
            continue;
        page.heading(type == TaskType::read ? "TIMES OF READS" : "TIMES OF WRITES");
        TextTable table(figure_headings(page.quantiles(), "<time"));
        for (std::size_t i = 0; i < cycle_figure_count; ++i) {
            const auto f = static_cast<CycleFigure>(i);
            const Histogram &h = t.figures[i];
            if (h.count() != 0 && (*h.maximum() > 0 || f == CycleFigure::response_time))
                table.row(figure_cells(page.quantiles(), std::string(name(f)), h));
        }
        page.table(table);
    }
}

void bursts_section(Page &page, const Report &r) {
    const BurstTally &b = r.bursts;
    if (b.solicited + b.unsolicited == 0)
        return;
    const TypeTally &writes = r.of(TaskType::write);
    page.heading("R2T BURSTS");
    page.item("Unsolicited",
              b.unsolicited == 0
                  ? std::string("none: every byte waited for an R2T")
                  : fmt::format("{} tasks sent {} with or right after the command",
                                human::count(b.unsolicited), human::bytes(b.unsolicited_bytes)));
    if (b.solicited == 0) {
        page.item("Solicited", "none: no write needed an R2T");
        return;
    }
    std::string text = fmt::format("{}{}, {} in all", human::count(b.solicited), burst_sizes(b),
                                   human::bytes(b.solicited_bytes));
    if (writes.r2ts != 0)
        text += fmt::format("; {:.1f} R2Ts a write, at most {}", writes.r2ts_per_task(), writes.max_r2ts);
    page.item("Solicited", text);
    if (b.not_final != 0) {
        page.item("Unfinished", fmt::format("{} without the F bit seen", human::count(b.not_final)),
                  Tone::notice);
    }
    // With their context: the phases of a Write have the same names and are sums over the task.
    TextTable table(figure_headings(page.quantiles(), "<one solicited burst"));
    table.row(figure_cells(page.quantiles(), "bursts.r2t_wait", b.r2t_wait));
    table.row(figure_cells(page.quantiles(), "bursts.burst_response", b.burst_response));
    table.row(figure_cells(page.quantiles(), "bursts.burst_data", b.burst_data));
    page.table(table);
}

void gaps_section(Page &page, const Report &r) {
    TextTable table({"<kind", ">gaps", ">total", ">p50", ">p99", ">longest", "<between frames"});
    std::vector<std::size_t> order(gap_kind_count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return r.gaps.lengths[a].sum() > r.gaps.lengths[b].sum();
    });
    for (const std::size_t i : order) {
        const Histogram &h = r.gaps.lengths[i];
        if (h.count() == 0)
            continue;
        const GapRecord &worst = r.gaps.longest[i];
        table.row({std::string(name(static_cast<GapKind>(i))), human::count(h.count()),
                   human::duration(h.sum()), human::duration(h.quantile(0.5)),
                   human::duration(h.quantile(0.99)), human::duration(h.maximum()),
                   worst.after_frame ? fmt::format("{} and {}", worst.before_frame, *worst.after_frame)
                                     : fmt::format("{} and the end", worst.before_frame)});
    }
    if (!table.empty()) {
        page.heading("IDLE GAPS", fmt::format("{} while commands ran; `iscsiscope gaps` lists them",
                                              human::count(r.gaps.count())));
        page.table(table);
    }
}

} // namespace iscsiscope
