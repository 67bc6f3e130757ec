// SPDX-License-Identifier: GPL-2.0-or-later
// Rule head_of_line: on one TCP connection a small response waits behind the data of a large transfer.
#include "analyzer/findings/rules/keys_in_force.h"
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict head_of_line(const RuleContext &c) {
    const HeadOfLineFacts &h = c.facts.head_of_line;
    if (h.behind + h.alone == 0)
        return none("there are no Reads or Writes of 16 KiB or less");
    if (h.behind == 0)
        return none("no small task ended after a transfer of 64 KiB or more of its connection");
    const double behind = ratio(h.behind_time, h.behind);
    const double alone = ratio(h.alone_time, h.alone);
    // What the way to the initiator, which a tap at the target does not see, adds to each task at the host.
    const ConnectionFacts *busiest = busiest_connection(c.facts);
    const double way = busiest != nullptr ? amount(*busiest->record.rtt_to_initiator) : 0;
    if (h.alone > 0 && behind + way < 2 * (alone + way))
        return none(
            "small tasks behind large ones took " + human::duration(static_cast<std::int64_t>(behind)) +
            ", others " + human::duration(static_cast<std::int64_t>(alone)) +
            (way > alone ? ", and the way to the host " + human::duration(static_cast<std::int64_t>(way))
                         : std::string()));
    Finding f = begin_finding(FindingKind::head_of_line);
    f.task_time = Duration{static_cast<std::int64_t>((behind - alone) * static_cast<double>(h.behind))};
    // Share of the small tasks' time: at the host; beside large transfers their share of all tasks' time is
    // small.
    f.task_share = ratio(amount(f.task_time), amount(h.behind_time + h.alone_time) +
                                                  way * static_cast<double>(h.behind + h.alone));
    f.occurrences = h.behind;
    f.sentence = human::plural(h.behind, "Read or Write", "Reads and Writes") + " of up to 16 KiB took " +
                 human::duration(static_cast<std::int64_t>(behind)) +
                 " on average behind a transfer of 64 KiB or more on the same connection" +
                 (h.alone > 0 ? "; other small ones took " + human::duration(static_cast<std::int64_t>(alone))
                              : std::string()) +
                 ".";
    add_figure(f, "behind", static_cast<double>(h.behind));
    add_figure(f, "mean_behind", Duration{static_cast<std::int64_t>(behind)});
    add_figure(f, "mean_alone", Duration{static_cast<std::int64_t>(alone)});
    add_evidence(f, h.large_frame, "the large command");
    add_evidence(f, h.small_frame, "the small command");
    add_evidence(f, h.end_frame, "its answer, " + human::duration(h.longest) + " later");
    f.remedy = "Give small and large requests connections of their own (several sessions, or MaxConnections "
               "above 1), or let the host cut large ones (Linux: /sys/block/…/queue/max_sectors_kb)." +
               keys_in_force(c, {"MaxConnections"});
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
