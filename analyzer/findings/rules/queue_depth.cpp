// SPDX-License-Identifier: GPL-2.0-or-later
// Rule queue_depth: round trips without data transfer because too few commands were outstanding. Little's
// law: throughput = outstanding bytes / cycle time.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::rules {

namespace {

// What a deeper queue can save at most has to be more than runs of one load differ by.
constexpr double min_gain = 0.05;
constexpr std::uint64_t max_commands = 128; // the default of open-iscsi's node.session.cmds_max

// True if most Reads and Writes are pieces of larger requests: how they are sent is set by the cutting.
bool mostly_pieces(const RuleContext &c) {
    std::uint64_t pieces = 0, commands = 0;
    if (c.in.sessions != nullptr)
        for (const AccessFigures &a : c.in.sessions->access) {
            commands += a.commands;
            pieces += a.split ? a.split->pieces * a.split->requests : 0;
        }
    return pieces * 2 > commands;
}

// True if the work never had more than one command under way, and two of three followed the one before at
// once: not its own pace is what limits it. The scan of a disk is no work.
bool one_by_one(const Facts &facts) {
    constexpr std::uint64_t work = 100; // Reads and Writes
    const TypeFacts &reads = facts.of(TaskType::read), &writes = facts.of(TaskType::write);
    const std::uint64_t followed = reads.followed + writes.followed;
    return reads.count + writes.count >= work && std::max(reads.deepest_queue, writes.deepest_queue) <= 1 &&
           (reads.followed_at_once + writes.followed_at_once) * 3 >= followed * 2;
}

// Returns the most commands that a target let a session have under way at once; 0: not known.
std::uint32_t granted_max(const RuleContext &c) {
    std::uint32_t most = 0;
    if (c.in.sessions != nullptr)
        for (const WindowFigures &w : c.in.sessions->windows)
            most = std::max(most, w.granted_max);
    return most;
}

// Returns the round trip on which the model's figures rest, the mean over its tasks; without it, that of the
// busiest connection.
std::optional<Duration> round_trip_of(const ModelInput *m, const RuleContext &c) {
    return m != nullptr && m->rtt_known ? std::optional(Duration{std::llround(m->rtt)}) : typical_rtt(c);
}

// True if the first is more than a tenth off the second.
bool differs(std::optional<Duration> a, std::optional<Duration> b) {
    return a && b && std::chrono::abs(*a - *b) * 10 > *b;
}

} // namespace

Verdict queue_depth(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::queue_depth);
    if (lost.waits.count == 0)
        return none("no round trip passed with nothing in flight");
    // Only in a closed loop, where the next command follows the end of another, does anything wait for depth.
    const TypeFacts &reads = c.facts.of(TaskType::read), &writes = c.facts.of(TaskType::write);
    const std::uint64_t followed = reads.followed + writes.followed,
                        at_once = reads.followed_at_once + writes.followed_at_once;
    if (at_once * 2 < followed && !c.facts.more_bytes().closed_loop())
        return none("most commands were issued independently of completions: only " + human::count(at_once) +
                    " of " + human::count(followed) +
                    " Reads and Writes were followed by the next command at once");
    if (mostly_pieces(c))
        return none("most commands are pieces of larger requests, which the host splits");
    Finding f = begin_finding(FindingKind::queue_depth, c);
    if (f.share < min_gain)
        return none("more commands in flight could save at most " + percent(f.share) + " of the busy time");
    const ModelInput *m = main_model(c.facts);
    // A task that ends a wait may be the first of several: the mean depth over time counts as well.
    const double depth = std::max(lost.waits.mean_depth(), m != nullptr ? m->depth : 0);
    f.at_most = one_by_one(c.facts) ? Severity::problem : Severity::notice; // how the host works is no fault
    const std::optional<Duration> rtt = round_trip_of(m, c);
    const Duration each = f.lost_time / static_cast<std::int64_t>(lost.waits.count);
    // Nothing else was in flight: the answer took the round trip, or the target its ordinary time as well.
    const bool by_distance = rtt.value_or(Duration{}) * 2 >= each;
    const std::string stalled =
        std::string("the connection stalled until ") +
        (by_distance ? "answers came back" : "the target answered, within its ordinary time") +
        (rtt ? " (round trip " + human::duration(*rtt) + (differs(rtt, typical_rtt(c)) ? " on average)" : ")")
             : std::string()) +
        ".";
    f.sentence = capitalized(stalled) + lost_sentence(f, lost);
    add_figure(f, "mean_depth", depth);
    if (m == nullptr || rtt.value_or(Duration{}) <= Duration{}) {
        f.remedy = "Keep more commands in flight: more threads or asynchronous I/O.";
        return {std::move(f), {}};
    }
    const double outstanding = m->depth * m->block;
    const std::string size = human::block(static_cast<std::uint64_t>(m->block));
    // How many were in flight, the report's headline states: the model's depth is as the tap saw it.
    f.sentence = "With commands of " + size + ", " + stalled + lost_sentence(f, lost);
    add_figure(f, "block", m->block, FigureUnit::bytes);
    double wanted = 0;
    if (const auto bdp = bandwidth_delay_product(*m);
        bdp && m->block > 0 && !m->rate_is_lower_bound && *bdp > outstanding) {
        wanted = std::ceil(*bdp / m->block) + 1;
        f.sentence += " Filling the path (" + human::rate(*m->path_rate) + ") takes " +
                      human::bytes(static_cast<std::uint64_t>(*bdp)) + " in flight, about " +
                      human::count(static_cast<std::uint64_t>(wanted)) + " such commands.";
        add_figure(f, "bandwidth_delay_product", *bdp, FigureUnit::bytes);
        add_figure(f, "wanted_depth", wanted);
    }
    const bool small_blocks = m->block < 65536 && m->depth > 2.5;
    add_figure(f, "outstanding_bytes", outstanding, FigureUnit::bytes);
    const std::uint32_t granted = granted_max(c);
    const bool raise_window = granted == 1 || (granted != 0 && wanted > granted);
    std::string number;
    if (!raise_window && wanted > max_commands)
        number = " (no session allows " + human::count(static_cast<std::uint64_t>(wanted)) + ", but " +
                 human::count(max_commands) + " of " +
                 human::block(static_cast<std::uint64_t>(
                     std::exp2(std::ceil(std::log2(wanted * m->block / max_commands))))) +
                 " would do)";
    else if (!raise_window && wanted > 1)
        number = ", about " + human::count(static_cast<std::uint64_t>(wanted)) + " of this size";
    if (small_blocks)
        f.title = "Commands are too small for the round trip";
    else if (by_distance)
        f.title = "Too few commands in flight for the round trip";
    const bool window_first = granted == 1 || (raise_window && m->depth + 1 > granted);
    if (window_first)
        f.remedy = "Raise the target's command window first, which allows " +
                   human::plural(granted, "command", "commands") + " at once. ";
    f.remedy += small_blocks ? "Let the host ask for more at once" + number +
                                   ": larger requests (max_sectors_kb), more readahead (blockdev --setra)"
                             : "Keep more commands in flight" + number +
                                   ": more threads, asynchronous I/O, for sequential Reads more readahead "
                                   "(blockdev --setra)";
    f.remedy += ". Limits: open-iscsi node.session.queue_depth (32) and cmds_max (128), ESXi "
                "iscsivmk_LunQDepth.";
    if (raise_window && !window_first)
        f.remedy += " For more than " + human::plural(granted, "command", "commands") +
                    " at once the target's command window has to be raised as well.";
    if (queue_stands(c))
        f.remedy = shorten_queue_first;
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
