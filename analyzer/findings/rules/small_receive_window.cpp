// SPDX-License-Identifier: GPL-2.0-or-later
// Rule small_receive_window: the receive window limits the rate to one window per round trip.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

namespace {

// True if the receiver tuned its buffer to the connection: the window doubled since the sender first filled
// it, and most often it was filled before the window had reached three quarters of its size.
bool grew(const TcpDirectionFigures &f) {
    return f.full_windows.count > 0 && f.first_full_window * 2 <= f.largest_window.value_or(0) &&
           f.full_windows.mean() <= 0.75 * static_cast<double>(*f.largest_window);
}

} // namespace

Verdict small_receive_window(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::small_receive_window);
    if (lost.waits.count == 0)
        return none("no sender filled its receiver's window and waited");
    Finding f = begin_finding(FindingKind::small_receive_window, c);
    if (auto ordinary = ordinary_waits(f, c))
        return none(std::move(*ordinary));
    const TcpDirectionFigures *limited = nullptr;
    std::optional<Duration> rtt;
    bool to_target = false, late = false;
    for (const ConnectionFacts &k : c.facts.connections)
        if (lost.worst_stream() == k.record.stream) {
            limited = window_limited(k);
            rtt = k.rtt();
            to_target = k.to_target && limited == &*k.to_target;
        }
    const std::string receiver = limited == nullptr ? "receiver" : to_target ? "target" : "initiator";
    f.sentence = "The sender had filled the window of the " + receiver +
                 " and waited for room: " + lost_words(f, lost) + ".";
    if (limited != nullptr && limited->largest_window && rtt && *rtt > Duration{}) {
        const double rate =
            static_cast<double>(*limited->largest_window) / static_cast<double>(to_ns(*rtt)) * 1e9;
        f.sentence += " A window of " + human::bytes(*limited->largest_window) + " at a round trip of " +
                      human::duration(*rtt) + " allows " + human::bytes(static_cast<std::uint64_t>(rate)) +
                      "/s.";
        if (grew(*limited))
            return none("the window of the " + receiver + " grew to " +
                        human::bytes(*limited->largest_window) +
                        " while the sender filled it; until then it cost " + lost_words(f, lost));
        const ModelInput *m = main_model(c.facts);
        if (m != nullptr && rate > 2 * m->measured_throughput) {
            // The largest window would allow far more: it grew to that, as a congestion window does, or was
            // full and opened late.
            if (limited->smallest_window.value_or(0) * 2 <= *limited->largest_window)
                return none("the window of the " + receiver + " grew to " +
                            human::bytes(*limited->largest_window) +
                            ", twice what was needed; until then it cost " + lost_words(f, lost));
            f.sentence +=
                " Far less was reached: once full, it was opened late, as by a program that does not "
                "take its data at once.";
            late = true;
        }
        add_figure(f, "largest_window", static_cast<double>(*limited->largest_window), FigureUnit::bytes);
        add_figure(f, "rate_at_best", rate, FigureUnit::bytes_per_second);
    }
    f.remedy =
        "Give the " + receiver +
        " a receive buffer of at least rate times round trip (Linux: third value of net.ipv4.tcp_rmem, "
        "and net.core.rmem_max where the program sets SO_RCVBUF; tgtd and appliances: their own socket "
        "buffer setting)." +
        (late ? " Look also at what keeps its program from its socket." : "");
    if (queue_stands(c))
        f.remedy = shorten_queue_first;
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
