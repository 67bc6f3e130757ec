// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"
#include "analyzer/report/html/html_page.h"
#include "analyzer/report/html/pictures.h"
#include "analyzer/report/palette.h"
#include "analyzer/words/kind_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::html {
namespace {

constexpr double ladder_width = 980, initiator_x = 330, target_x = 650, ladder_top = 34;
constexpr double line_height = 15;

// PDUs of one kind without an idle gap between them; they are drawn as one band.
struct Run {
    Time begin{}, end{}; // at the tap: first byte of the first, last byte of the last
    FrameNumber first_frame = 0, last_frame = 0;
    PduDirection direction{};
    Opcode opcode{};
    std::uint64_t pdus = 0, bytes = 0;
    bool status = false;
};

bool gap_between(const Ladder &l, Time a, Time b) {
    return std::any_of(
        l.gaps.begin(), l.gaps.end(),
        [&](const GapRecord &g) { return g.start >= a && g.start + g.length <= b; });
}

std::vector<Run> runs_of(const Ladder &l) {
    std::vector<Run> runs;
    for (const LadderPdu &p : l.pdus) {
        const bool data = p.opcode == Opcode::data_in || p.opcode == Opcode::data_out;
        if (data && !runs.empty()) {
            Run &r = runs.back();
            if (r.opcode == p.opcode && !r.status && !gap_between(l, r.end, p.first_seen)) {
                r.end = std::max(r.end, p.delivered);
                r.last_frame = std::max(r.last_frame, p.last_frame);
                ++r.pdus;
                r.bytes += p.data_length;
                r.status = p.status;
                continue;
            }
        }
        runs.push_back({p.first_seen, p.delivered, p.frame, p.last_frame, p.direction, p.opcode, 1,
                        p.data_length, p.status});
    }
    return runs;
}

std::string label(const Run &r, Time origin) {
    std::string s = fmt::format("+{}  {}", human::duration(r.begin - origin), name(r.opcode));
    if (r.pdus > 1)
        s += fmt::format(" ×{}", r.pdus);
    if (r.bytes != 0)
        s += ", " + human::block(r.bytes);
    if (r.status && r.opcode == Opcode::data_in)
        s += ", status";
    return s + (r.first_frame == r.last_frame ? fmt::format(" (frame {})", r.first_frame)
                                              : fmt::format(" ({}–{})", r.first_frame, r.last_frame));
}

} // namespace

std::string ladder(const Ladder &l) {
    const std::vector<Run> runs = runs_of(l);
    const Duration to_initiator = l.rtt_to_initiator.value_or(Duration{0}) / 2;
    const Duration to_target = l.rtt_to_target.value_or(Duration{0}) / 2;
    const Time origin = l.cycle.start - to_initiator, last = l.cycle.end + std::max(to_initiator, to_target);
    const double span = std::max(1.0, static_cast<double>(to_ns(last - origin)));
    const double height =
        std::clamp(static_cast<double>(runs.size() + l.gaps.size()) * line_height * 1.3, 300.0, 1200.0);
    const auto y = [&](Time t) {
        return ladder_top + std::clamp(static_cast<double>(to_ns(t - origin)) / span, 0.0, 1.0) * height;
    };
    std::string svg, leads, bands, words; // the words last, so that no line crosses them
    // Idle gaps at the tap, behind everything.
    for (const GapRecord &g : l.gaps) {
        const Time from = std::max(g.start, l.cycle.start), to = std::min(g.start + g.length, l.cycle.end);
        const double y0 = y(from), h = std::max(1.0, y(to) - y0);
        const std::string fill = color(palette::of(g.kind));
        const std::string meaning = fmt::format("{}: {}", explanation(g.kind), human::duration(g.length));
        svg += fmt::format(
            "<g><title>{}, between frames {} and {}</title><rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" "
            "height=\"{:.1f}\" fill=\"{}\" class=\"gap\"/>",
            escape(meaning), g.before_frame, human::frame(g.after_frame), initiator_x, y0,
            target_x - initiator_x, h, fill);
        if (h >= 13) {
            words += fmt::format(
                "<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"gapname\">{}</text>",
                (initiator_x + target_x) / 2, y0 + h / 2 + 4, escape(meaning));
        }
        svg += "</g>\n";
    }
    double next_label[2] = {ladder_top, ladder_top}; // by direction: the lowest label so far
    for (const Run &r : runs) {
        const bool out = r.direction == PduDirection::to_target;
        const Time sent = r.begin - (out ? to_initiator : to_target),
                   arrived = r.begin + (out ? to_target : to_initiator);
        const Duration under_way = r.end - r.begin;
        const double x0 = out ? initiator_x : target_x, x1 = out ? target_x : initiator_x;
        const double ys = y(sent), ya = y(arrived), ye = y(arrived + under_way), yt = y(sent + under_way);
        const char *kind = r.bytes != 0 ? "data" : "pdu";
        svg += fmt::format("<g class=\"{}\"><title>{}</title>", kind, escape(label(r, l.cycle.start)));
        if (yt - ys > 1.5) { // below the gaps, which lie inside it where its data stopped
            bands += fmt::format(
                "<g class=\"{}\"><path class=\"band\" d=\"M{} {:.1f}L{} {:.1f}V{:.1f}L{} {:.1f}z\"/></g>\n",
                kind, x0, ys, x1, ya, ye, x0, yt);
        }
        svg += fmt::format("<path d=\"M{} {:.1f}L{} {:.1f}\" marker-end=\"url(#tip-{}-{})\"/></g>\n", x0, ys,
                           x1, ya, kind, l.cycle.cycle);
        double &free = next_label[out ? 0 : 1];
        const double at = std::max(ys + 4, free);
        free = at + line_height;
        words +=
            fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", out ? x0 - 14 : x0 + 14,
                        at, out ? "end" : "start", escape(label(r, l.cycle.start)));
        leads += fmt::format("<path class=\"lead\" d=\"M{} {:.1f}L{} {:.1f}\"/>\n", x0, ys,
                             out ? x0 - 10 : x0 + 10, at - 4);
    }
    const double bottom = std::max({ladder_top + height, next_label[0], next_label[1]}) + 14;
    std::string head = fmt::format("<svg class=\"ladder\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" "
                                   "aria-label=\"{} {}: {} PDUs between initiator "
                                   "and target over {}, {} idle gaps\">\n",
                                   ladder_width, bottom, name(l.cycle.type), l.cycle.cycle, l.pdus.size(),
                                   human::duration(*l.cycle.response_time), l.gaps.size());
    // The tips of the arrows are of this picture alone: those in a closed part of the page are not drawn.
    head += "<defs>";
    for (const std::string_view kind : {"pdu", "data"}) {
        head += fmt::format("<marker id=\"tip-{0}-{1}\" class=\"tip-{0}\" viewBox=\"0 0 8 8\" refX=\"8\" "
                            "refY=\"4\" markerWidth=\"7\" "
                            "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker>",
                            kind, l.cycle.cycle);
    }
    head += "</defs>\n";
    for (const auto &[x, who] : {std::pair{initiator_x, "initiator"}, std::pair{target_x, "target"}}) {
        head +=
            fmt::format("<text x=\"{0}\" y=\"16\" text-anchor=\"middle\" class=\"strong\">{1}</text><path "
                        "class=\"host\" d=\"M{0} 24V{2:.0f}\"/>\n",
                        x, who, ladder_top + height + 6);
    }
    if (const auto position = l.capture_position()) {
        head += fmt::format("<path class=\"tap\" d=\"M{:.1f} 24V{:.0f}\"><title>where the capture was "
                            "taken</title></path>\n",
                            initiator_x + *position * (target_x - initiator_x), ladder_top + height + 6);
    }
    return head + bands + svg + leads + words + "</svg>\n";
}

} // namespace iscsiscope::html
