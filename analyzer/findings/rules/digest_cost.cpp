// SPDX-License-Identifier: GPL-2.0-or-later
// Rule digest_cost: digests cost processor time, of which a capture shows at most pauses within data.
#include "analyzer/base/saturating.h"
#include "analyzer/findings/rules/keys_in_force.h"
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict digest_cost(const RuleContext &c) {
    bool header = false, data = false, known = false;
    Duration pauses{}, transfer{};
    for (const ConnectionFacts &k : c.facts.connections) {
        if (k.record.login && k.record.login->accepted) {
            known = true;
            header = header || k.record.login->keys.parameters.header_digest_crc32c;
            data = data || k.record.login->keys.parameters.data_digest_crc32c;
        }
        add_saturated(transfer, k.record.transfer);
        for (const GapKind kind : {GapKind::target_data, GapKind::initiator_data})
            add_saturated(pauses, k.record.gap_time[static_cast<std::size_t>(kind)]);
    }
    if (!known)
        return none("no login is in the capture that states whether digests are in use");
    if (!data)
        return none(header ? "the data digest is not in use" : "no digest is in use");
    if (pauses == Duration{} || saturated_product(pauses, 10) < transfer)
        return none("the data digest is in use, but senders paused within their data for " +
                    human::duration(pauses) + " only, compared with " + human::duration(transfer) +
                    " of transfer");
    Finding f = begin_finding(FindingKind::digest_cost);
    f.at_most = Severity::info;
    // The waits count for other findings; that digests cause them is a guess.
    f.sentence = "The data digest (CRC32C) is in use, and senders paused within their data for " +
                 human::duration(pauses) + " in all, compared with " + human::duration(transfer) +
                 " of transfer. The capture does not show whether computing digests causes the pauses.";
    add_figure(f, "pauses_within_data", pauses);
    f.remedy =
        "Compare with a run without data digest (open-iscsi: node.conn[0].iscsi.DataDigest = None). If that "
        "is faster, use a network card or processor that computes CRC32C (SSE4.2, ARMv8 CRC)." +
        keys_in_force(c, {"HeaderDigest", "DataDigest"});
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
