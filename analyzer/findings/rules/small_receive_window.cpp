// SPDX-License-Identifier: GPL-2.0-or-later
// Rule small_receive_window: the receive window limits the rate to one window per round trip.
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

namespace {

// True if the receiver tuned its buffer to the connection: the window doubled since the sender first filled
// it, and most often it was filled before the window had reached three quarters of its size.
bool grew(const TcpDirectionFigures &f) {
    return f.full_windows.count > 0 && f.first_full_window.value_or(0) * 2 <= f.largest_window.value_or(0) &&
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
    const ConnectionFacts *worst = connection_of(c.facts, lost.worst_stream());
    if (worst != nullptr) {
        limited = window_limited(*worst);
        rtt = worst->rtt();
        to_target = worst->to_target && limited == &*worst->to_target;
    }
    const std::string receiver = limited == nullptr ? "receiver" : to_target ? "target" : "initiator";
    std::string allows;
    if (limited != nullptr)
        f.title = "A small receive window of the " + receiver + " limits the rate";
    if (limited != nullptr && limited->largest_window && rtt && *rtt > Duration{}) {
        const double rate =
            static_cast<double>(*limited->largest_window) / static_cast<double>(to_ns(*rtt)) * 1e9;
        allows = " At a round trip of " + human::duration(*rtt) + " the window of " +
                 human::bytes(*limited->largest_window) + " allows " + human::rate(rate);
        // A buffer that the receiver tunes grows until the window is no longer filled.
        const bool to_the_end = f.times.throughout;
        if (grew(*limited) && !to_the_end)
            return none("the window of the " + receiver + " grew to " +
                        human::bytes(*limited->largest_window) +
                        " while the sender filled it; until then it cost " + lost_words(f, lost));
        const ModelInput *m = main_model(c.facts);
        const double other_time = std::min(share_of_other_faults(f.kind, c), 0.99);
        const double reached = m != nullptr ? m->measured_throughput / (1 - other_time) : 0;
        if (m != nullptr && rate > 2 * reached) {
            // The largest window would allow far more: it grew to that, as a congestion window does, or was
            // full and opened late.
            if (limited->smallest_window.value_or(0) * 2 <= *limited->largest_window && !to_the_end)
                return none("the window of the " + receiver + " grew to " +
                            human::bytes(*limited->largest_window) +
                            ", twice what was needed; until then it cost " + lost_words(f, lost));
            f.title = "The " + receiver + " opens its full receive window late";
            allows += ", far more than the " + human::rate(m->measured_throughput) +
                      " reached: the full window was opened late";
            late = true;
        }
        add_figure(f, "largest_window", static_cast<double>(*limited->largest_window), FigureUnit::bytes);
        add_figure(f, "rate_at_best", rate, FigureUnit::bytes_per_second);
    }
    const TcpDirectionFigures *of_receiver = worst != nullptr ? receiver_of(*worst, limited) : nullptr;
    if (of_receiver != nullptr && of_receiver->window_scale_inferred) {
        f.at_most = Severity::notice;
        f.title = "A small receive window of the " + receiver + " seems to limit the rate";
        allows += (allows.empty() ? "" : ".") +
                  std::string(" That is a guess: the SYNs with the window's "
                              "scale are not in the capture, and no more than this was ever in flight");
    }
    f.sentence = (limited != nullptr ? capitalized(ends_of(c.facts, lost, !to_target)) : "The sender") +
                 " filled the receive window of the " + receiver + " and had to wait." +
                 (allows.empty() ? allows : allows + ".") + lost_sentence(f, lost);
    f.remedy =
        std::string(late ? "Find what keeps the program at the " + receiver + " from reading its socket. "
                         : "") +
        "Raise the receive buffer of the " + receiver +
        " to at least rate times round trip (Linux: third value of net.ipv4.tcp_rmem, and net.core.rmem_max "
        "if the program sets SO_RCVBUF; others: their own socket buffer setting).";
    if (queue_stands(c))
        f.remedy = shorten_queue_first;
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
