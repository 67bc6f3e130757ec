// SPDX-License-Identifier: GPL-2.0-or-later
// Rule slow_start: the congestion window of a sender begins anew after idleness, so that the transfers after
// a pause take round trips for flights that grow from ten segments (RFC 5681 section 4.1).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// The directions whose senders lost time so, with their sums.
struct Senders {
    const ConnectionFacts *connection = nullptr; // of the one that waited longest after idleness, like:
    const SlowStarts *worst = nullptr;
    bool target = false; // it is the target
    Duration after_idle{}, opening{};
    std::uint64_t restarts = 0, openings = 0, waits_after_idle = 0;
    std::optional<Duration> shortest_silence;
    Duration longest_silence{};

    void add(const ConnectionFacts &k, const TcpDirectionFigures &f, bool is_target) {
        const SlowStarts &s = f.slow_starts;
        after_idle += s.after_idle.total;
        opening += s.opening.total;
        restarts += s.transfers_after_idle;
        openings += s.transfers_opening;
        waits_after_idle += s.after_idle.count;
        if (s.shortest_silence)
            shortest_silence = std::min(shortest_silence.value_or(*s.shortest_silence), *s.shortest_silence);
        longest_silence = std::max(longest_silence, s.longest_silence);
        const auto weight = [](const SlowStarts &of) {
            return std::pair(of.after_idle.total, of.opening.total);
        };
        if (s.run_waits > 0 && (worst == nullptr || weight(s) > weight(*worst))) {
            worst = &s;
            connection = &k;
            target = is_target;
        }
    }
};

Senders senders_of(const Facts &facts) {
    Senders all;
    for (const ConnectionFacts &k : facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator})
            if (*d)
                all.add(k, **d, d == &k.to_initiator);
    return all;
}

// Returns "flights of 10, 20, 40 … segments, each a round trip (20.0 ms) behind the one before".
std::string flights(const SlowStarts &s, const std::string &round_trip) {
    std::string text;
    std::size_t n = 0;
    for (; n < s.run.size() && s.run[n].segments != 0; ++n)
        text += (n == 0 ? "" : ", ") + human::count(s.run[n].segments);
    if (n == 1)
        return "a flight of " + text + " segments, the rest a round trip" + round_trip + " later";
    return "flights of " + text + (s.run_waits > n ? " … segments" : " segments") + ", each a round trip" +
           round_trip + " behind the one before";
}

std::string silences(const Senders &s) {
    const Duration least = s.shortest_silence.value_or(s.longest_silence);
    return human::duration(least) + (s.longest_silence * 10 > least * 11
                                         ? " to " + human::duration(s.longest_silence)
                                         : std::string());
}

} // namespace

Verdict slow_start(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::slow_start);
    if (lost.waits.count == 0)
        return none("no sender waited flight by flight for a congestion window that grew from its start");
    Finding f = begin_finding(FindingKind::slow_start, c);
    if (auto ordinary = ordinary_waits(f, c))
        return none(std::move(*ordinary));
    const Senders s = senders_of(c.facts);
    const bool opening = s.restarts == 0 && s.openings > 0;
    const std::string sender =
        s.connection == nullptr ? "the sender" : end_with_address(s.connection, s.target);
    f.sentence = capitalized(sender) + " began ";
    if (opening)
        f.sentence += human::plural(s.openings, "transfer", "transfers") + " of new connections";
    else
        f.sentence +=
            (s.restarts > 0 ? human::plural(s.restarts, "transfer", "transfers") : "transfers") +
            " anew after idleness" + (s.longest_silence > Duration{} ? " of " + silences(s) : std::string()) +
            (s.openings > 0 ? ", and " + human::count(s.openings) + " of new connections," : std::string());
    const std::optional<Duration> rtt = s.connection != nullptr ? s.connection->rtt() : std::nullopt;
    const std::string trip = rtt ? " (" + human::duration(*rtt) + ")" : std::string();
    f.sentence += " with a small congestion window: " +
                  (s.worst != nullptr ? flights(*s.worst, trip) : "flights a round trip" + trip + " apart") +
                  "." + lost_sentence(f, lost);
    if (opening)
        f.title = "First transfers wait for the congestion window to grow";
    else if (s.connection != nullptr)
        f.title = std::string("The ") + (s.target ? "target" : "initiator") +
                  "'s congestion window begins anew after idleness";
    // What a new connection costs is ordinary (RFC 6928), and no fault.
    if (opening)
        f.nature = Nature::trait;
    const double part = opening                  ? 0
                        : s.opening > Duration{} ? ratio(s.after_idle, s.after_idle + s.opening)
                                                 : 1;
    if (f.concerned_share * part < problem_from)
        f.at_most = opening && f.concerned_share < problem_from ? Severity::info : Severity::notice;
    add_figure(f, "transfers_after_idle", static_cast<double>(s.restarts));
    add_figure(f, "transfers_of_new_connections", static_cast<double>(s.openings));
    if (s.shortest_silence)
        add_figure(f, "shortest_silence", *s.shortest_silence);
    if (s.worst != nullptr) {
        add_figure(f, "first_flight", static_cast<double>(s.worst->run.front().segments));
        f.evidence.clear();
        for (const SlowStarts::Flight &flight : s.worst->run)
            if (flight.segments != 0)
                add_evidence(f, flight.last_frame,
                             "last of " + human::plural(flight.segments, "segment", "segments") +
                                 " in flight");
    }
    f.remedy = opening
                   ? "Nothing is wrong: a connection that stays open does not repeat this."
                   : capitalized(sender) +
                         " should keep its congestion window over pauses: Linux "
                         "net.ipv4.tcp_slow_start_after_idle=0, other systems their setting for the restart "
                         "after idleness (RFC 5681 section 4.1).";
    f.remedy +=
        " A larger initial window shortens each start (Linux: ip route change … initcwnd 32); connections "
        "between the same hosts may share one (RFC 9040).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
