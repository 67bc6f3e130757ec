// SPDX-License-Identifier: GPL-2.0-or-later
// Rule no_unsolicited_data: a small Write waits for an R2T and so takes two round trips, where immediate data
// needs one (RFC 7143 sections 13.10, 13.11, 13.14).
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict no_unsolicited_data(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::no_unsolicited_data);
    if (c.facts.of(TaskType::write).count == 0)
        return none("there are no Writes");
    if (lost.waits.count == 0)
        return none("no Write spent a round trip on a single R2T");
    Finding f = begin_finding(FindingKind::no_unsolicited_data, c);
    if (auto ordinary = ordinary_waits(f, c))
        return none(std::move(*ordinary));
    const ModelInput *writing = nullptr;
    for (const ModelInput &m : c.facts.models)
        if (m.type == TaskType::write)
            writing = &m;
    f.sentence = "Writes waited for an R2T before they sent what they could have sent with the command: " +
                 lost_words(f, lost) + ".";
    if (writing != nullptr) {
        const std::string block = human::block(static_cast<std::uint64_t>(writing->block));
        f.sentence += " A Write of " + block + " sent " +
                      (writing->unsolicited > 0
                           ? human::block(static_cast<std::uint64_t>(writing->unsolicited)) + " unasked."
                           : std::string("nothing unasked."));
        if (writing->keys_known.has_all(
                {Parameter::initial_r2t, Parameter::immediate_data, Parameter::first_burst_length}))
            f.sentence += std::string(" In force: InitialR2T=") + (writing->keys.initial_r2t ? "Yes" : "No") +
                          ", ImmediateData=" + (writing->keys.immediate_data ? "Yes" : "No") +
                          ", FirstBurstLength=" + human::block(writing->keys.first_burst_length) + ".";
        add_figure(f, "block", writing->block, FigureUnit::bytes);
        f.remedy =
            "Set InitialR2T=No, ImmediateData=Yes and FirstBurstLength to " + block + " or more at both ends";
    } else {
        f.remedy = "Set InitialR2T=No, ImmediateData=Yes and a FirstBurstLength that the usual Write fits in";
    }
    f.remedy += " (open-iscsi: node.session.iscsi.InitialR2T, ImmediateData, FirstBurstLength; LIO: the same "
                "names under the portal group's parameters).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
