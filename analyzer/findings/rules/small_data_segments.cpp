// SPDX-License-Identifier: GPL-2.0-or-later
// Rule small_data_segments: MaxRecvDataSegmentLength (RFC 7143 section 13.12) splits the data into many small
// Data PDUs, each of which costs a header and processor time at both ends.
#include "analyzer/findings/rules/keys_in_force.h"
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::rules {

Verdict small_data_segments(const RuleContext &c) {
    // RFC 7143's default of MaxRecvDataSegmentLength: larger Data PDUs are not small.
    constexpr double header = 48, small_to = 8192;
    const TypeFacts &reads = c.facts.of(TaskType::read), &writes = c.facts.of(TaskType::write);
    const TypeFacts &more = c.facts.more_bytes();
    const double size = data_pdu_size(more);
    if (size <= 0)
        return none("no Data PDU was seen");
    const double task = static_cast<double>(more.bytes) / static_cast<double>(more.count);
    const std::string mean = human::bytes(static_cast<std::uint64_t>(size));
    if (size > small_to)
        return none("a Data PDU carries " + mean + " on average");
    if (task < 2 * size)
        return none("Data PDUs are as small as the commands: " + mean + " on average");
    Finding f = begin_finding(FindingKind::small_data_segments, c);
    const Lost &lost = c.lost.to(FindingKind::small_data_segments);
    Duration transfer{}; // transfer time that counts for no other finding
    for (const ConnectionFacts &k : c.facts.connections)
        transfer += k.record.transfer;
    for (const NamedRule &rule : finding_rules)
        transfer -= c.lost.to(rule.kind).transfer;
    const double pdus = static_cast<double>(more.data_pdus);
    const double overhead = pdus * header / (static_cast<double>(reads.bytes + writes.bytes) + pdus * header);
    f.lost_time += Duration{static_cast<std::int64_t>(overhead * static_cast<double>(to_ns(transfer)))};
    f.share = ratio(f.lost_time, c.busy());
    f.concerned_share = std::max(f.concerned_share, f.share);
    f.occurrences = more.data_pdus;
    if (f.share < 0.02 && overhead >= 0.01) { // what they cost in processor time no capture shows
        f.lost_time = {};
        f.owners = {};
        f.share = f.concerned_share = 0;
    }
    add_figure(f, "data_pdu_bytes", size, FigureUnit::bytes);
    add_figure(f, "data_pdus_a_task", pdus / static_cast<double>(more.count));
    const double each = pdus / static_cast<double>(more.count);
    f.sentence = std::string("A ") + (&more == &reads ? "Read" : "Write") + " of " +
                 human::bytes(static_cast<std::uint64_t>(task)) + " is carried in " +
                 human::count(static_cast<std::uint64_t>(std::llround(each))) + " Data PDUs of " + mean +
                 " (means): their headers take " + percent(overhead) +
                 " of the transfer, and each PDU costs both ends processor time.";
    if (lost.waits.count > 0)
        f.sentence += " The sender paused " + human::plural(lost.waits.count, "time", "times") +
                      " within its data, for " + human::duration(lost.waits.time) + " (" +
                      percent(ratio(lost.waits.time, c.busy())) +
                      " of the busy time); that small PDUs cause the pauses is not proven.";
    f.remedy = "Raise MaxRecvDataSegmentLength at the end that receives the data to 262144 (open-iscsi: "
               "node.conn[0].iscsi.MaxRecvDataSegmentLength; LIO: MaxRecvDataSegmentLength and "
               "MaxXmitDataSegmentLength of the portal group)." +
               keys_in_force(c, {"MaxRecvDataSegmentLength"});
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
