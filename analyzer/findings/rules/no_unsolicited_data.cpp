// SPDX-License-Identifier: GPL-2.0-or-later
// Rule no_unsolicited_data: a small Write waits for an R2T and so takes two round trips, where immediate data
// needs one (RFC 7143 sections 13.10, 13.11, 13.14).
#include "analyzer/findings/rules/keys_in_force.h"
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {
namespace {

// Sets the task time: the round trip of each Write that waited for one R2T and had sent no unsolicited data.
// The waits of commands open at the same time hide each other in the connection's time. Leaves it 0 if the
// round trip is below 200 us or a tenth of a Write.
void count_round_trips(Finding &f, const RuleContext &c, bool nothing_unsolicited) {
    const TypeFacts &writes = c.facts.of(TaskType::write);
    const std::optional<Duration> rtt = typical_rtt(c);
    const bool one_each = writes.r2ts * 10 >= writes.count * 9 && writes.r2ts * 2 < writes.count * 3;
    if (!nothing_unsolicited || !one_each || !rtt || *rtt < std::chrono::microseconds(200))
        return;
    const Duration all = *rtt * static_cast<std::int64_t>(writes.count);
    if (all * 10 < writes.response)
        return;
    f.task_time = all;
    f.task_share = std::min(1.0, ratio(all, writes.response));
    f.occurrences = writes.count;
}

// Returns what to set, without what is in force already.
std::string remedy_words(const ModelInput *writing) {
    using enum Parameter;
    if (writing == nullptr || !writing->keys_known.has_all({initial_r2t, immediate_data, first_burst_length}))
        return "Set InitialR2T=No, ImmediateData=Yes and a FirstBurstLength that the usual Write fits in";
    const OperationalParameters &k = writing->keys;
    const std::string block = human::block(static_cast<std::uint64_t>(writing->block));
    std::string s;
    const auto set = [&](const std::string &what) { s += (s.empty() ? "Set " : ", ") + what; };
    if (!k.immediate_data)
        set("ImmediateData=Yes");
    if (k.first_burst_length < writing->block)
        set("FirstBurstLength to " + block + " or more");
    // Immediate data is one PDU: as long as the target's MaxRecvDataSegmentLength at most.
    if (k.initial_r2t && k.max_recv_data_segment_length_target < writing->block)
        set("InitialR2T=No, or MaxRecvDataSegmentLength of the target to " + block + " or more");
    return s.empty() ? "Let the initiator send what the keys in force allow" : s;
}

} // namespace

Verdict no_unsolicited_data(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::no_unsolicited_data);
    const TypeFacts &writes = c.facts.of(TaskType::write);
    if (writes.count == 0)
        return none("there are no Writes");
    Finding f = begin_finding(FindingKind::no_unsolicited_data, c);
    const ModelInput *writing = model_of(c.facts, TaskType::write);
    const bool nothing_unsolicited = writing != nullptr && writing->unsolicited <= 0;
    count_round_trips(f, c, nothing_unsolicited);
    if (f.task_time == Duration{}) {
        if (lost.waits.count == 0)
            return none("no Write spent a round trip on a single R2T");
        if (auto ordinary = ordinary_waits(f, c))
            return none(std::move(*ordinary));
    }
    // What is in force by default (RFC 7143 sections 13.10, 13.11, 13.14) lets the first burst go as
    // unsolicited data, and a longer Write waits for an R2T: ordinary, although it costs time.
    if (!nothing_unsolicited)
        f.at_most = Severity::notice;
    const bool known = writing != nullptr;
    f.sentence = "Writes";
    if (known) {
        f.sentence +=
            " of " + human::block(static_cast<std::uint64_t>(writing->block)) + " sent " +
            (writing->unsolicited <= 0 ? std::string("nothing")
                                       : human::block(static_cast<std::uint64_t>(writing->unsolicited))) +
            " without an R2T and";
        add_figure(f, "block", writing->block, FigureUnit::bytes);
    }
    f.sentence +=
        " waited for an R2T before they sent " +
        std::string(known && writing->unsolicited > 0 ? "the rest" : "data that could go with the command");
    f.sentence += f.task_time > Duration{}
                      ? ": a round trip of " + words(typical_rtt(c)) + " in " +
                            human::duration(writes.response / static_cast<std::int64_t>(writes.count)) +
                            " per Write (" + percent(f.task_share) + ")."
                      : "." + lost_sentence(f, lost);
    f.remedy =
        remedy_words(writing) +
        " at both ends (open-iscsi: node.session.iscsi.InitialR2T, ImmediateData, FirstBurstLength; LIO: "
        "parameters of the same names of the portal group)." +
        keys_in_force(c, {"InitialR2T", "ImmediateData", "FirstBurstLength", "MaxRecvDataSegmentLength"});
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
