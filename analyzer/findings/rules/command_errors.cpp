// SPDX-License-Identifier: GPL-2.0-or-later
// Rule command_errors: CHECK CONDITION, by sense code or without one, and other statuses that no other rule
// treats.
#include "analyzer/findings/rules/refused_units.h"
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/sense_words.h"

#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/scsi/cdb.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_codes.h"

#include <functional>
#include <tuple>

namespace iscsiscope::rules {
namespace {

constexpr std::uint8_t illegal_request = 0x05, unit_attention = 0x06, of_reset = 0x29,
                       compare_and_write = 0x89;

// True for errors usual in discovery and after a login: UNIT ATTENTION, and an unsupported page, opcode or
// field, which some targets answer with ILLEGAL REQUEST without further sense information.
bool harmless(std::uint32_t code) {
    const std::uint32_t key = sense_key_of(code), asc = code >> 8 & 0xff;
    const bool cut = (code & sense_code_cut) != 0; // ASC and ASCQ are not in the capture
    return key == unit_attention || (key == illegal_request && (asc == 0x20 || asc == 0x24 || asc == 0x25 ||
                                                                (code & 0xffff) == 0 || cut));
}

bool is_work(std::optional<std::uint8_t> opcode) {
    return opcode && iscsiscope::is_work(parse_opcode(*opcode).group);
}

// True where the command was carried out: RECOVERED ERROR, and NO SENSE with what a tape passed (filemark,
// end of medium; SSC-4), which is what a program reads for.
bool is_done(std::uint32_t code) {
    return sense_key_of(code) == 0x01 ||
           (sense_key_of(code) == 0x00 && (code & sense_code_cut) == 0 && (code & 0xffff) != 0);
}

// A disk that predicts its failure says so with a command that it carried out (SPC-4 section 4.5.6, 5D/xx).
bool predicts_failure(std::uint32_t code) {
    return is_done(code) && (code & sense_code_cut) == 0 && (code >> 8 & 0xff) == 0x5d;
}

// True for sense data that rules of their own treat.
bool is_of_another_rule(SenseGroup g) {
    return g == SenseGroup::path_state || g == SenseGroup::lun_missing || g == SenseGroup::space ||
           g == SenseGroup::space_warning || g == SenseGroup::configuration || g == SenseGroup::miscompare;
}

// True if hosts of the capture reset logical units or the target (RFC 7143 section 11.5.1, functions 5 to 7):
// the UNIT ATTENTIONs of that are known, and abort_storm treats it.
bool hosts_reset(const Facts &facts) {
    constexpr std::uint8_t first_reset = 5, last_reset = 7;
    return std::ranges::any_of(facts.events, [](const auto &event) {
        return event.first.first == Opcode::task_management_request && event.first.second >= first_reset &&
               event.first.second <= last_reset;
    });
}

// True if these commands are errors although their sense data is otherwise harmless or another rule's: the
// host goes on sending what the target refuses, a unit reports the same event again and again, or a
// comparison other than that of a lock failed.
bool is_error(const RefusalKey &key, const Refusals &row, const Facts &facts) {
    if (key.outcome != TaskOutcome::check_condition || !key.sense)
        return false;
    const SenseGroup group = group_of(*key.sense);
    if (group == SenseGroup::miscompare)
        return key.opcode != compare_and_write;
    if (is_of_another_rule(group))
        return false;
    if (sense_key_of(*key.sense) == unit_attention)
        return row.of_transfers >= again_and_again &&
               !((*key.sense >> 8 & 0xff) == of_reset && hosts_reset(facts));
    return harmless(*key.sense) && is_work(key.opcode) && row.of_transfers == 0 &&
           row.count > SenseSums::trial;
}

// ILLEGAL REQUEST is what a target answers to work that it does not support; its code is unknown.
constexpr std::uint32_t unknown_refusal = std::uint32_t{illegal_request} << 16 | sense_code_cut;

// True if the host goes on with work that the target refuses without sense data, or with sense data that the
// capture cuts off.
bool fails_unexplained(const RefusalKey &key, const Refusals &row) {
    return key.outcome == TaskOutcome::check_condition && !key.sense && row.of_transfers == 0 &&
           is_work(key.opcode) && row.count > SenseSums::trial;
}

// What the refused commands of one kind have in common.
struct Worst {
    std::uint32_t sense = 0;
    std::uint64_t transfers = 0, count = 0;
    OptionalFrame first_frame;
    std::uint64_t lun = 0;
    std::optional<std::uint64_t> lba;
    RefusedCommand command;
};

// Those of this sense data with most commands; what the sums of all units do not have stays unknown.
void add_command(Worst &w, const Facts &facts) {
    const Refusals *most = nullptr;
    for (const auto &[key, row] : facts.refusals.rows)
        if (key.sense == w.sense && (most == nullptr || std::tuple(row.of_transfers, row.count) >
                                                            std::tuple(most->of_transfers, most->count))) {
            most = &row;
            w.command = {w.sense, key.opcode, row.asked_bytes};
            w.lun = key.unit.lun;
            w.lba = row.lba;
            w.first_frame = row.first_frame;
        }
    w.command.sense = w.sense;
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

// The sums of all CHECK CONDITIONs with sense data.
struct Errors {
    std::uint64_t transfers = 0, others = 0;
    std::uint64_t borne = 0;       // part of every device scan
    std::uint64_t repeated = 0;    // Reads and Writes that ended with a UNIT ATTENTION again and again
    std::uint64_t predictions = 0; // commands carried out by a disk that predicts its failure
    std::size_t kinds = 0;
    std::optional<Worst> worst;
    std::optional<Worst> unexplained_work; // work beyond a trial that failed without sense data

    explicit Errors(const Facts &facts) : borne(facts.others_without_sense) {
        std::map<std::uint32_t, std::uint64_t> in_excess; // of what otherwise does not count
        for (const auto &[key, row] : facts.refusals.rows)
            if (is_error(key, row, facts))
                in_excess[*key.sense] += row.count;
            else if (fails_unexplained(key, row))
                add(key, row);
        for (const auto &[code, s] : facts.senses) {
            const auto excess = in_excess.find(code);
            const std::uint64_t more = excess != in_excess.end() ? excess->second : 0;
            if ((is_of_another_rule(group_of(code)) || (is_done(code) && !predicts_failure(code))) &&
                more == 0)
                continue;
            if (sense_key_of(code) == unit_attention) {
                repeated += more;
                borne += s.count - s.of_transfers;
            } else if (predicts_failure(code)) {
                predictions += s.count;
            } else {
                const std::uint64_t control = s.count - s.of_transfers;
                transfers += s.of_transfers;
                others += harmless(code) ? std::min(more, control) : control;
                borne += harmless(code) ? control - std::min(more, control) : 0;
            }
            add(code, s, more);
        }
        if (worst)
            add_command(*worst, facts);
    }

private:
    void add(std::uint32_t code, const SenseSums &s, std::uint64_t more) {
        const bool fails = sense_key_of(code) != unit_attention && !predicts_failure(code);
        const std::uint64_t of_transfers = fails ? s.of_transfers : 0;
        const std::uint64_t counted = harmless(code) ? of_transfers + more : s.count;
        if (counted == 0)
            return;
        ++kinds;
        if (!worst || std::tuple(of_transfers, counted) > std::tuple(worst->transfers, worst->count))
            worst = Worst{code, of_transfers, counted, s.first_frame, s.lun, {}, {}};
    }
    void add(const RefusalKey &key, const Refusals &row) {
        others += row.count;
        borne -= std::min(borne, row.count);
        if (!unexplained_work || row.count > unexplained_work->count)
            unexplained_work = Worst{unknown_refusal,
                                     0,
                                     row.count,
                                     row.first_frame,
                                     key.unit.lun,
                                     row.lba,
                                     {unknown_refusal, key.opcode, row.asked_bytes}};
    }
};

// " with MEDIUM ERROR (UNRECOVERED READ ERROR), first on LUN 0, LBA 1,234".
std::string worst_words(const Worst &w) {
    const bool cut = (w.sense & sense_code_cut) != 0;
    const auto asc = static_cast<std::uint8_t>(w.sense >> 8), ascq = static_cast<std::uint8_t>(w.sense);
    const std::string_view name = cut ? "the rest of the sense data is cut" : sense_code_name(asc, ascq);
    std::string text = " with " + std::string(sense_key_name(sense_key_of(w.sense)));
    text += " (" + (name.empty() ? sense_digits(w.sense) : std::string(name)) + ")";
    text += ", first on LUN " + to_string(Lun{w.lun});
    if (w.lba)
        text += ", LBA " + human::count(*w.lba);
    return text;
}

// The Rejects of PDUs by the reason that came most often (RFC 7143 section 11.17.1); empty: none.
std::optional<std::uint8_t> usual_reject(const Facts &facts) {
    std::optional<std::uint8_t> reason;
    std::uint64_t most = 0;
    for (const auto &[key, event] : facts.events)
        if (key.first == Opcode::reject && event.count > most) {
            most = event.count;
            reason = key.second;
        }
    return reason;
}

std::string reject_words(std::uint8_t reason) {
    const std::string_view name = reject_reason(reason);
    return " (reason " + (name.empty() ? std::to_string(reason) : std::string(name)) + ")";
}

// The commands that were rejected, without those of protocol_violation.
OutcomeFacts rejected_commands(const RuleContext &c) {
    OutcomeFacts rejected = c.facts.of(TaskOutcome::rejected);
    rejected.count -= std::min(rejected.count, c.lost.consequences().commands_rejected());
    rejected.of_transfers = std::min(rejected.of_transfers, rejected.count);
    return rejected.count > 0 ? rejected : OutcomeFacts{};
}

void name_others(Finding &f, const RuleContext &c, const OutcomeFacts &rejected, const OutcomeFacts &other) {
    const std::optional<std::uint8_t> reason = usual_reject(c.facts);
    const std::string refused = listed(
        {rejected.count > 0 ? "rejected " + human::plural(rejected.count, "command", "commands") +
                                  (reason ? reject_words(*reason) : std::string())
                            : std::string(),
         other.count > 0 ? "ended " + human::count(other.count) + " with another status" : std::string()});
    if (!refused.empty())
        f.sentence += (f.sentence.empty() ? "The target " : "; the target ") + refused;
    if (rejected.count > 0 && f.title == title(FindingKind::command_errors))
        f.title = "The target rejects commands";
    add_evidence(f, rejected.first_end, "Reject");
    add_evidence(f, other.first_end, "the status");
}

// A title narrower than the kind's: the command where it is neither Read nor Write, else the sense key.
std::string title_of(const Worst &w) {
    const std::string key(sense_key_name(sense_key_of(w.sense)));
    if (predicts_failure(w.sense))
        return "A disk predicts its failure";
    if (sense_key_of(w.sense) == unit_attention)
        return "UNIT ATTENTION interrupts I/O again and again";
    if (w.transfers == 0 && is_work(w.command.opcode))
        return command_name(*w.command.opcode) + " commands fail with " + key;
    return "Commands fail with " + key;
}

std::string remedy_words(const Errors &errors, const Unexplained &unexplained, const RuleContext &c,
                         const OutcomeFacts &rejected) {
    if (errors.worst)
        return std::string(remedy_of(errors.worst->command));
    if (unexplained.transfers == 0 && errors.unexplained_work)
        return std::string(remedy_of(errors.unexplained_work->command));
    if (unexplained.transfers > 0 && !unexplained.cut)
        return "Look for the reason in the target's log: the host receives none.";
    const std::optional<std::uint8_t> reason = usual_reject(c.facts);
    if (rejected.count > 0 && reason)
        return std::string(remedy_of_reject(*reason));
    return "Look the sense data up in the target's log, and do not send commands that the target does not "
           "support.";
}

} // namespace

Verdict command_errors(const RuleContext &c) {
    const Unexplained unexplained(c);
    const Errors errors(c.facts);
    const std::uint64_t transfers = errors.transfers + (unexplained.cut ? 0 : unexplained.transfers);
    const OutcomeFacts &other = c.facts.of(TaskOutcome::other_status);
    const OutcomeFacts rejected = rejected_commands(c);
    const bool failed = transfers + unexplained.transfers + errors.others + errors.repeated +
                            errors.predictions + rejected.count + other.count >
                        0;
    const auto gave_up = std::ranges::find_if(c.facts.connections, [](const ConnectionFacts &k) {
        return k.last_outcome == TaskOutcome::check_condition &&
               k.record.outcome == ConnectionOutcome::closed;
    });
    if (!failed && gave_up != c.facts.connections.end())
        return given_up(*gave_up);
    if (!failed)
        return none(errors.borne == 0
                        ? "no command ended with CHECK CONDITION"
                        : human::plural(errors.borne, "inquiry command", "inquiry commands") +
                              " ended with CHECK CONDITION, as is normal during device discovery");
    Finding f = begin_finding(FindingKind::command_errors);
    if (transfers + rejected.of_transfers + other.of_transfers > 0)
        f.nature = Nature::failure;
    const Transfers kinds = transfers_of(c.facts);
    const std::optional<Worst> &worst = errors.worst;
    const std::uint64_t all = c.facts.of(TaskType::read).count + c.facts.of(TaskType::write).count;
    if (f.nature != Nature::failure && all > 0)
        f.count_share = std::min(1.0, ratio(errors.repeated, all));
    const bool one_kind_of_work = worst && errors.others == worst->count && is_work(worst->command.opcode);
    const Worst *work = one_kind_of_work          ? &*worst
                        : errors.unexplained_work ? &*errors.unexplained_work
                                                  : nullptr;
    const bool only_work = work != nullptr && work->count == errors.others;
    const std::string others = errors.others == 0 ? std::string()
                               : only_work
                                   ? human::count(errors.others) + " " + command_name(*work->command.opcode)
                                   : some(errors.others, "other command", "other commands");
    const std::string ended = listed(
        {some((unexplained.cut ? transfers + unexplained.transfers : transfers) + errors.repeated, kinds.one,
              kinds.more),
         others, some(errors.predictions, "command that was carried out", "commands that were carried out")});
    if (!ended.empty())
        f.sentence = ended + " ended with CHECK CONDITION";
    if (worst) {
        if (!ended.empty())
            f.title = title_of(*worst);
        f.sentence += (ended.empty()      ? "Commands ended"
                       : errors.kinds > 1 ? ", most"
                                          : "") +
                      worst_words(*worst);
        add_evidence(f, worst->first_frame, "status with this sense data");
        f.lun = worst->lun;
        if (worst->command.asked_bytes == 0u && one_kind_of_work)
            f.sentence += "; their expected data transfer length is 0";
        if (unexplained.transfers > 0)
            f.sentence += "; " + human::count(unexplained.transfers) + " " + unexplained.words();
    } else if (unexplained.transfers == 0 && errors.unexplained_work) {
        f.title = command_name(*work->command.opcode) + " commands fail";
        f.sentence += " " + unexplained.words() + ", first on LUN " + to_string(Lun{work->lun});
        f.lun = work->lun;
        add_evidence(f, work->first_frame, "status " + unexplained.words());
    } else if (unexplained.transfers > 0) {
        f.title = "Reads or Writes fail";
        f.sentence += " " + unexplained.words() + ", first on LUN " + to_string(Lun{unexplained.first.lun});
        f.lun = unexplained.first.lun;
    }
    if (unexplained.transfers > 0)
        add_evidence(f, unexplained.first.first_frame, "status " + unexplained.words());
    name_others(f, c, rejected, other);
    f.sentence += ".";
    if (worst)
        set_events(f, c,
                   course_of_refusals(c.facts, [&](const RefusalKey &k) { return k.sense == worst->sense; }));
    add_figure(f, "transfers_failed", static_cast<double>(transfers));
    add_figure(f, "others_failed", static_cast<double>(errors.others));
    f.remedy = remedy_words(errors, unexplained, c, rejected);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
