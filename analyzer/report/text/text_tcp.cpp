// SPDX-License-Identifier: GPL-2.0-or-later
// The TCP figures of each direction.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/shares.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/tallies/segment_sums.h"
#include "analyzer/words/capture/range_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {
namespace {

constexpr std::size_t directions_shown = 24;

std::string or_dash(const std::optional<std::uint64_t> &bytes) {
    return bytes ? human::bytes(*bytes) : "-";
}

// Returns the limit that held the sender longest, and the next one from 10 % on.
std::string limits(const TcpDirectionFigures &f) {
    std::string s;
    std::vector<LimitShare> parts = longest_first(limit_shares(f));
    parts.resize(std::min<std::size_t>(parts.size(), 2));
    for (const LimitShare &p : parts)
        if (s.empty() || p.share >= 0.1)
            s += fmt::format("{}{} {:.0f} %", s.empty() ? "" : ", ", p.name, p.share * 100);
    return s.empty() ? "-" : s;
}

std::string repeats(const TcpDirectionFigures &f) {
    std::string s = "sent again:";
    for (std::size_t i = 0; i < retransmission_class_count; ++i) {
        if (f.retransmissions[i] != 0) {
            s += fmt::format("{} {} {}", s.ends_with(':') ? "" : ",", human::count(f.retransmissions[i]),
                             name(static_cast<RetransmissionClass>(i)));
        }
    }
    return s;
}

std::string time_of(const std::optional<Duration> &d) {
    return d ? human::duration(*d) : "-";
}

std::string waits(const char *one, const char *several, const TcpWaits &w) {
    return fmt::format("{} ({} in all, longest {}, frame {})", human::plural(w.count, one, several),
                       human::duration(w.total), human::duration(w.longest), human::frame(w.longest_frame));
}

// Returns everything unusual in a direction, as one line.
std::string peculiar(const TcpDirectionFigures &f) {
    std::vector<std::string> parts;
    const auto add = [&](const char *one, const char *several, const TcpWaits &w) {
        if (w.count != 0)
            parts.push_back(waits(one, several, w));
    };
    if (f.retransmitted() != 0)
        parts.push_back(repeats(f));
    add("timeout", "timeouts", f.timeouts);
    add("time no receive window", "times no receive window", f.zero_window);
    add("time the window was full", "times the window was full", f.window_full);
    add("costly delayed ACK", "costly delayed ACKs", f.delayed_acks_costly);
    add("wait by Nagle's algorithm", "waits by Nagle's algorithm", f.nagle);
    if (f.reorderings != 0) {
        parts.push_back(fmt::format("{} reordered (first frame {})", human::count(f.reorderings),
                                    human::frame(f.first_reordering)));
    }
    if (f.overtaken_behind_tap != 0) {
        parts.push_back(fmt::format("{} overtaken beyond the tap (first frame {})",
                                    human::count(f.overtaken_behind_tap),
                                    human::frame(f.first_overtaken_behind_tap)));
    }
    SegmentSums sums;
    sums.add(f);
    if (sums.lost != 0) {
        std::string lost =
            fmt::format("{} lost before the tap, {} behind it", human::count(sums.lost_before_tap),
                        human::count(sums.shown_lost() - sums.lost_before_tap - f.lost_unknown_place));
        if (f.lost_unknown_place != 0)
            lost += fmt::format(", {} at an unknown place", human::count(f.lost_unknown_place));
        if (sums.loss_not_shown != 0)
            lost += fmt::format(", {} sent again of which it is not visible whether they were lost",
                                human::count(sums.loss_not_shown));
        parts.push_back(std::move(lost));
    }
    if (f.smallest_black_holed) {
        parts.push_back(fmt::format("segments of {} B and more never arrive (first frame {})",
                                    *f.smallest_black_holed, human::frame(f.black_hole_frame)));
    }
    if (f.ce_marks != 0)
        parts.push_back(fmt::format("{} marked by ECN", human::count(f.ce_marks)));
    if (f.window_scale_inferred)
        parts.emplace_back("its window scale is learned, not seen");
    return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace

void tcp_section(Page &page, const Report &r) {
    if (r.tcp.empty())
        return;
    page.heading("TCP",
                 of_whole_capture(
                     r, "each direction as its sender saw it: round trip and cwnd median, most in flight, "
                        "least window; `iscsiscope tcp` has a row a segment"));
    TextTable table({">stream", "<to", ">bytes", ">round trip", ">p95", ">in flight", ">cwnd", ">window",
                     "<limited by", ">again"});
    std::vector<std::string> lines;
    std::size_t shown = 0;
    for (const TcpDirectionRow &row : r.tcp) {
        const TcpDirectionFigures &f = *row.figures;
        if (++shown > directions_shown)
            break;
        const char *to = row.direction == PduDirection::to_target ? "target" : "initiator";
        table.row({to_string(f.stream), to, human::bytes(f.bytes), time_of(f.rtt.median), time_of(f.rtt.p95),
                   f.largest_flight == 0 ? "-" : human::bytes(f.largest_flight), or_dash(f.median_cwnd),
                   or_dash(f.smallest_window), limits(f),
                   f.retransmitted() == 0 ? "-" : human::count(f.retransmitted())});
        if (const std::string words = peculiar(f); !words.empty())
            lines.push_back(fmt::format("stream {} to the {}: {}", f.stream, to, words));
    }
    page.table(table);
    for (const std::string &l : lines)
        page.line(l, 4, Tone::notice);
    if (shown > directions_shown) {
        page.line(fmt::format("... and {} more directions (the JSON report has them)",
                              r.tcp.size() - directions_shown),
                  4);
    }
}

} // namespace iscsiscope
