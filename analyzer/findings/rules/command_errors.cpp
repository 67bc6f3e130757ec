// SPDX-License-Identifier: GPL-2.0-or-later
// Rule command_errors: CHECK CONDITION, by sense code or without one, and other statuses that no other rule
// treats.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/scsi/lun.h"
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

std::string remedy_words(std::uint32_t code) {
    switch (sense_key_of(code)) {
    case 0x02:
        return "Look at the target's log and at the state of the storage behind this LUN: the unit says that "
               "it "
               "cannot be reached or is not ready.";
    case 0x03:
        return "Replace the disk behind this LUN, whose medium fails, and check the state of the RAID.";
    case 0x04:
        return "Look at the target's log: the device reports an internal fault.";
    case 0x07:
        return "Check how the target exports this LUN: it is write protected.";
    default:
        break;
    }
    if ((code >> 8) == 0x0521) // LOGICAL BLOCK ADDRESS OUT OF RANGE
        return "Compare the sizes of LUN, partition and file system (Linux: blockdev --getsize64; after a "
               "change iscsiadm -m session --rescan), and look the errors up in the target's log.";
    return "Look the sense data up in the target's log, and do not send commands that the target does not "
           "support.";
}

// The Reads and Writes of which the capture shows no more than CHECK CONDITION. The target sent no sense
// data, or it is cut: then it may be the UNIT ATTENTION that a host takes without harm.
struct Unexplained {
    std::uint64_t transfers = 0;
    bool cut = false;
    const SenseSums &first;

    explicit Unexplained(const RuleContext &c)
        : transfers(c.facts.transfers_without_sense.count), cut(c.in.capture.coverage.cut_bytes > 0),
          first(c.facts.transfers_without_sense) {}
    std::string words() const {
        return cut ? "with sense data that the capture cuts off" : "without sense data";
    }
};

// A CHECK CONDITION that hosts bear, but behind it the initiator sent no further command.
Verdict given_up(const ConnectionFacts &k) {
    Finding f = begin_finding(FindingKind::command_errors);
    f.stream = k.record.stream;
    f.title = "The initiator gives up at a CHECK CONDITION";
    f.sentence = "The last command" + ends_words(&k) +
                 " ended with CHECK CONDITION, and the connection was closed without a logout.";
    add_evidence(f, k.last_status, "the CHECK CONDITION");
    f.remedy = "Let the initiator repeat the command: a UNIT ATTENTION is part of every new session, and the "
               "repeat is "
               "answered.";
    return {std::move(f), {}};
}

} // namespace

Verdict command_errors(const RuleContext &c) {
    const Unexplained unexplained(c);
    std::uint64_t transfers = unexplained.cut ? 0 : unexplained.transfers, others = 0;
    std::uint64_t borne = c.facts.others_without_sense;
    std::uint32_t most = 0;
    const SenseSums *worst = nullptr;
    for (const auto &[code, s] : c.facts.senses) {
        if (is_of_path_state(code) || is_miscompare(code))
            continue; // of access_trouble
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
    const auto gave_up = std::ranges::find_if(c.facts.connections, [](const ConnectionFacts &k) {
        return k.last_outcome == TaskOutcome::check_condition &&
               k.record.outcome == ConnectionOutcome::closed;
    });
    if (transfers + unexplained.transfers + others + rejected.count + other.count == 0 &&
        gave_up != c.facts.connections.end())
        return given_up(*gave_up);
    if (transfers + unexplained.transfers + others + rejected.count + other.count == 0)
        return none(borne == 0 ? "no command ended with CHECK CONDITION"
                               : human::plural(borne, "inquiry command", "inquiry commands") +
                                     " ended with CHECK CONDITION, as is normal during device discovery");
    Finding f = begin_finding(FindingKind::command_errors);
    if (transfers + rejected.of_transfers + other.of_transfers > 0)
        f.nature = Nature::failure;
    const Transfers kinds = transfers_of(c.facts);
    const std::string failed =
        listed({some(unexplained.cut ? transfers + unexplained.transfers : transfers, kinds.one, kinds.more),
                some(others, "other command", "other commands")});
    if (!failed.empty())
        f.sentence = failed + " ended with CHECK CONDITION";
    if (worst != nullptr) {
        const auto asc = static_cast<std::uint8_t>(most >> 8), ascq = static_cast<std::uint8_t>(most);
        const bool cut = (most & sense_code_cut) != 0;
        const std::string_view text = cut ? "the rest of the sense data is cut" : sense_code_name(asc, ascq);
        const std::string key(sense_key_name(sense_key_of(most)));
        if (!failed.empty())
            f.title = "Commands fail with " + key;
        f.sentence += std::string(failed.empty()              ? "Commands ended"
                                  : c.facts.senses.size() > 1 ? ", most"
                                                              : "") +
                      " with " + key;
        if (!text.empty())
            f.sentence += " (" + std::string(text) + ")";
        f.sentence += ", first on LUN " + to_string(Lun{worst->lun});
        add_evidence(f, worst->first_frame, "status with this sense data");
        f.lun = worst->lun;
        if (unexplained.transfers > 0)
            f.sentence += "; " + human::count(unexplained.transfers) + " " + unexplained.words();
    } else if (unexplained.transfers > 0) {
        f.title = "Reads or Writes fail";
        f.sentence += " " + unexplained.words() + ", first on LUN " + to_string(Lun{unexplained.first.lun});
        f.lun = unexplained.first.lun;
    }
    if (unexplained.transfers > 0)
        add_evidence(f, unexplained.first.first_frame, "status " + unexplained.words());
    const std::string refused = listed(
        {rejected.count > 0 ? "rejected " + human::plural(rejected.count, "command", "commands")
                            : std::string(),
         other.count > 0 ? "ended " + human::count(other.count) + " with another status" : std::string()});
    if (!refused.empty())
        f.sentence += (f.sentence.empty() ? "The target " : "; the target ") + refused;
    f.sentence += ".";
    add_evidence(f, rejected.first_end, "Reject");
    add_evidence(f, other.first_end, "the status");
    add_figure(f, "transfers_failed", static_cast<double>(transfers));
    add_figure(f, "others_failed", static_cast<double>(others));
    f.remedy = worst == nullptr && unexplained.transfers > 0 && !unexplained.cut
                   ? "Look for the reason in the target's log: the host receives none."
                   : remedy_words(worst != nullptr ? most : 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
