// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/words/compare/ends_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string time_of(const std::optional<Duration> &d) {
    return d ? human::duration(*d) : "-";
}

std::string shown(TcpChecksum c) {
    return c == TcpChecksum::right      ? "right"
           : c == TcpChecksum::wrong    ? "wrong"
           : c == TcpChecksum::unfilled ? "not filled in"
                                        : "not known";
}

// One altered segment, from the capture that it passed first to the other.
std::string shown(const DamagedSegment &s, const PairedDirection &d, StreamId stream, const Ends &e) {
    const bool to_target = d.a_first == e.a_is_initiator;
    const auto first = d.a_first ? s.frame_a : s.frame_b, second = d.a_first ? s.frame_b : s.frame_a;
    const std::string bytes = human::plural(s.length, "payload byte", "payload bytes");
    std::string where = s.length == 0 ? "no payload" : fmt::format("{}, equal as far as compared", bytes);
    if (s.differs_at && s.differs_within == 1)
        where = fmt::format("byte {} of {} differs", *s.differs_at, bytes);
    else if (s.differs_at)
        where = fmt::format("several of bytes {} to {} of {} differ", *s.differs_at,
                            *s.differs_at + s.differs_within - 1, bytes);
    return fmt::format(
        "stream {} from the {}: frame {} at the {}, frame {} at the {}: {}; checksum {}, then {}", stream,
        to_target ? "initiator" : "target", first, to_target ? "initiator" : "target", second,
        to_target ? "target" : "initiator", where, shown(d.a_first ? s.checksum_a : s.checksum_b),
        shown(d.a_first ? s.checksum_b : s.checksum_a));
}

void contents(TextPage &page, const Ends &e) {
    constexpr std::size_t max_shown = 8; // per direction
    std::uint64_t segments = 0, bytes = 0, damaged = 0, undetected = 0;
    TextTable t(
        {">stream", "<from", ">compared", ">bytes", ">damaged", ">payload differs", ">wrong checksum"});
    std::vector<std::string> lines;
    for (const PairedConnection &p : e.pair.connections) {
        for (const PairedDirection &d : p.directions) {
            const PairedContents &c = d.contents;
            segments += c.segments;
            bytes += c.bytes;
            damaged += c.damaged;
            undetected += c.undetected;
            t.row({to_string(p.stream_a), d.a_first == e.a_is_initiator ? "initiator" : "target",
                   human::count(c.segments), human::bytes(c.bytes),
                   c.damaged == 0 ? "-" : human::count(c.damaged),
                   c.payload_differs == 0 ? "-" : human::count(c.payload_differs),
                   c.wrong_checksum == 0 ? "-" : human::count(c.wrong_checksum)});
            for (std::size_t i = 0; i < std::min(c.listed.size(), max_shown); ++i)
                lines.push_back(shown(c.listed[i], d, p.stream_a, e));
            if (c.damaged > max_shown)
                lines.push_back(fmt::format("and {} more of this direction", c.damaged - max_shown));
        }
    }
    page.heading("CONTENTS", "payload of the matched segments as both captures hold it");
    if (damaged == 0) {
        page.line(segments == 0
                      ? std::string("No payload of a matched segment is in both captures.")
                      : fmt::format("{}, {}: equal in both captures.",
                                    human::plural(segments, "segment", "segments"), human::bytes(bytes)));
        return;
    }
    page.table(t);
    for (const std::string &l : lines)
        page.line(l, 4, Tone::notice);
    if (undetected > 0)
        page.line(fmt::format("{} arrived altered with a right TCP checksum: the receiver takes what was not "
                              "sent.",
                              human::plural(undetected, "segment", "segments")),
                  2, Tone::bad);
}

void service(TextPage &page, const Ends &e) {
    TextTable t({"<type", ">tasks", "<measured at", ">p50", ">p99"});
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const auto at = [&](const Report &r, const char *where) {
            const Histogram &h = r.of(type).of(CycleFigure::target_service);
            if (h.count() != 0)
                t.row({std::string(name(type)), human::count(h.count()), where,
                       human::duration(h.quantile(0.5)), human::duration(h.quantile(0.99))});
        };
        at(e.at_target(), "the target");
        at(e.at_initiator(), "the initiator, round trip subtracted");
    }
    if (!t.empty()) {
        page.heading("SERVICE TIME OF THE TARGET", "seen at the target it needs no subtraction");
        page.table(t);
    }
}

} // namespace

std::string ends_text(const Ends &e, const TextStyle &style) {
    TextPage page(style);
    page.heading("TWO ENDS OF ONE RUN");
    page.item("At initiator", human::name(e.at_initiator().capture.path));
    page.item("At target", human::name(e.at_target().capture.path));
    if (e.pair.connections.empty()) {
        page.line("The two captures have no iSCSI connection in common.", 2, Tone::bad);
        return page.finish();
    }
    page.item("Matched", matched_words(e.pair));
    page.item("Clocks", clock_words(e.pair), e.pair.clock ? Tone::plain : Tone::notice);
    if (e.pair.clock && !e.pair.clock->same_clock)
        page.item("Drift", drift_words(e.pair));
    if (const std::string warning = same_clock_warning(e.pair); !warning.empty())
        page.line("Warning: " + warning + ".", 2, Tone::bad);
    page.heading("BETWEEN THE TWO CAPTURES", e.pair.clock && e.pair.clock->same_clock
                                                 ? "one-way delays on the one clock"
                                                 : "one-way delays with the clocks aligned");
    TextTable t({">stream", "<from", ">segments", ">matched", ">lost", ">overtaken", ">least", ">p50", ">p99",
                 ">most"});
    std::vector<std::string> lost;
    for (const PairedConnection &p : e.pair.connections) {
        for (const PairedDirection &d : p.directions) {
            const bool from_initiator = d.a_first == e.a_is_initiator;
            t.row({to_string(p.stream_a), from_initiator ? "initiator" : "target",
                   human::count(d.a_first ? d.segments_a : d.segments_b), human::count(d.matched),
                   d.lost.empty() ? "-" : human::count(d.lost.size()),
                   d.overtaken == 0 ? "-" : human::count(d.overtaken), time_of(d.delay.minimum),
                   time_of(d.delay.median), time_of(d.delay.p99), time_of(d.delay.maximum)});
            if (!d.lost.empty()) {
                std::string frames;
                for (std::size_t i = 0; i < std::min<std::size_t>(d.lost.size(), 8); ++i)
                    frames += fmt::format("{}{}", i == 0 ? "" : ", ", d.lost[i].frame);
                lost.push_back(fmt::format("stream {} from the {}: lost frames {}{} of the {} capture",
                                           p.stream_a, from_initiator ? "initiator" : "target", frames,
                                           d.lost.size() > 8 ? " ..." : "", d.a_first ? "first" : "second"));
            }
        }
    }
    page.table(t);
    for (const std::string &l : lost)
        page.line(l, 4, Tone::notice);
    contents(page, e);
    service(page, e);
    return page.finish();
}

} // namespace iscsiscope
