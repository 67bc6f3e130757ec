// SPDX-License-Identifier: GPL-2.0-or-later
// Rule command_errors: CHECK CONDITION, by sense code, and other statuses that no other rule treats.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/scsi/sense.h"

namespace iscsiscope::rules {
namespace {

// True for errors usual in discovery and after a login: UNIT ATTENTION, and an unsupported page, opcode or
// field, which some targets answer with ILLEGAL REQUEST without further sense information.
bool harmless(std::uint32_t code) {
    const std::uint32_t key = sense_key_of(code), asc = code >> 8 & 0xff;
    const bool cut = (code & sense_code_cut) != 0; // ASC and ASCQ are not in the capture
    return key == 0x06 ||
           (key == 0x05 && (asc == 0x20 || asc == 0x24 || asc == 0x25 || (code & 0xffff) == 0 || cut));
}

} // namespace

Verdict command_errors(const RuleContext &c) {
    std::uint64_t transfers = 0, others = 0, borne = 0;
    std::uint32_t most = 0;
    const SenseFacts *worst = nullptr;
    for (const auto &[code, s] : c.facts.senses) {
        transfers += sense_key_of(code) == 0x06 ? 0 : s.of_transfers;
        (harmless(code) ? borne : others) += s.count - s.of_transfers;
        const bool counts = s.of_transfers > 0 || !harmless(code);
        if (counts && (worst == nullptr || s.of_transfers > worst->of_transfers)) {
            worst = &s;
            most = code;
        }
    }
    const OutcomeFacts &rejected = c.facts.of(TaskOutcome::rejected),
                       &other = c.facts.of(TaskOutcome::other_status);
    if (transfers + others + rejected.count + other.count == 0)
        return none(borne == 0 ? "no command ended with CHECK CONDITION"
                               : human::plural(borne, "inquiry command", "inquiry commands") +
                                     " ended with CHECK CONDITION, as hosts meet while they look around");
    Finding f = begin_finding(FindingKind::command_errors, Severity::notice);
    f.failure = transfers + rejected.of_transfers + other.of_transfers > 0;
    f.severity = f.failure ? Severity::problem : Severity::notice;
    f.sentence = human::plural(transfers, "Read or Write", "Reads and Writes") + " and " +
                 human::plural(others, "other command", "other commands") + " ended with CHECK CONDITION";
    if (worst != nullptr) {
        const auto asc = static_cast<std::uint8_t>(most >> 8), ascq = static_cast<std::uint8_t>(most);
        const bool cut = (most & sense_code_cut) != 0;
        const std::string_view text = cut ? "the rest of the sense data is cut" : sense_code_name(asc, ascq);
        f.sentence += ", most with " + std::string(sense_key_name(sense_key_of(most)));
        if (!text.empty())
            f.sentence += ", " + std::string(text);
        add_evidence(f, worst->first_frame, "status with this sense data");
        f.lun = worst->lun;
    }
    f.sentence += "; " + human::plural(rejected.count, "command was", "commands were") + " rejected, " +
                  human::count(other.count) + " ended with another status.";
    add_evidence(f, rejected.first_end, "Reject");
    add_evidence(f, other.first_end, "the status");
    add_figure(f, "transfers_failed", static_cast<double>(transfers));
    add_figure(f, "others_failed", static_cast<double>(others));
    f.remedy = sense_key_of(most) == 0x03
                   ? "The medium fails: replace the disk behind this LUN, check the RAID's state."
               : sense_key_of(most) == 0x04
                   ? "The device reports a fault of its own: look at the target's log."
               : sense_key_of(most) == 0x07
                   ? "The LUN is write protected: check its export."
                   : "Look the sense data up in the target's log; commands that a target does not know "
                     "are best not sent to it.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
