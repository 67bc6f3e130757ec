// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of RFC 7143 that a capture can show to be kept or broken, the counts of each (RuleRow), and the
// breaches of which the other end may have taken notice (Violation). ConformanceTracker counts.
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/cycles/records/records.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class Offender : std::uint8_t { initiator, target, either };

// Each rule with its section of RFC 7143, the end that breaks it, and what was done wrong, for the report.
// The rules are explained in docs/conformance.md.
#define ISCSISCOPE_RULES(X)                                                                                  \
    /* Data transfer */                                                                                      \
    X(first_burst_length, "13.14", initiator, "more unsolicited data than FirstBurstLength allows")          \
    X(max_burst_length_out, "13.13", target, "an R2T asks for more than MaxBurstLength")                     \
    X(max_burst_length_in, "13.13", target, "a sequence of Data-In longer than MaxBurstLength")              \
    X(beyond_r2t, "11.8.4", initiator, "more Data-Out than the R2T asked for")                               \
    X(max_recv_to_target, "13.12", initiator, "a data segment longer than the target declared it takes")     \
    X(max_recv_to_initiator, "13.12", target, "a data segment longer than the initiator declared it takes")  \
    X(data_sn_order, "11.7.5", either, "DataSN or R2TSN out of sequence")                                    \
    X(data_offset_order, "13.18", target, "Data-In out of order although order was agreed")                  \
    X(max_outstanding_r2t, "13.17", target, "more R2Ts of a task open at once than MaxOutstandingR2T")       \
    X(residual, "11.4.5", target, "residual count and bytes moved do not agree")                             \
    X(command_window, "4.2.2.1", initiator, "a command sent beyond the command window")                      \
    X(allegiance, "4.2.5.1", target, "data or status of a task on another connection than its command")      \
    X(stat_sn_gap, "4.2.2.2", target, "a StatSN left out")                                                   \
    X(unsolicited_not_allowed, "13.10", initiator, "unsolicited Data-Out although InitialR2T=Yes")           \
    X(immediate_not_allowed, "13.11", initiator, "immediate data although ImmediateData=No")                 \
    X(r2t_of_nothing, "11.8.4", target, "an R2T that asks for no byte")                                      \
    X(r2t_beyond_command, "11.3.4", target, "an R2T asks for bytes beyond the command's expected length")    \
    X(r2t_order, "13.19", target, "an R2T out of order although order was agreed")                           \
    X(r2t_without_write, "11.8", target, "an R2T for a command that writes nothing")                         \
    X(r2t_tag, "11.8.5", target, "an R2T without a Target Transfer Tag")                                     \
    X(data_in_without_read, "11.7", target, "Data-In for a command that reads nothing")                      \
    X(data_in_beyond_command, "11.3.4", target, "Data-In beyond the command's expected length")              \
    X(status_without_final, "11.7.3", target, "a Data-In with status but without the F bit")                 \
    X(error_in_data_in, "11.7.3", target, "CHECK CONDITION in a Data-In instead of a SCSI Response")         \
    X(acknowledge_bit, "11.7.2", target,                                                                     \
      "a Data-In asks for an acknowledgment (A bit) at ErrorRecoveryLevel 0")                                \
    X(data_out_without_write, "11.7", initiator, "Data-Out for a command that writes nothing")               \
    X(data_out_beyond_command, "11.3.4", initiator, "Data-Out beyond the command's expected length")         \
    X(data_out_after_final, "11.7.1", initiator, "unsolicited Data-Out after the F bit had ended it")        \
    X(data_out_offset, "13.18", initiator, "Data-Out out of order although order was agreed")                \
    X(data_out_tag, "11.7.4", initiator, "Data-Out for an R2T that is not open")                             \
    X(r2t_answered_short, "11.8.4", initiator, "Data-Out ended before all that the R2T asked for was sent")  \
    /* Tasks */                                                                                              \
    X(command_flags, "11.3.1", initiator, "a command with neither the W nor the F bit")                      \
    X(command_direction, "11.3.1", initiator,                                                                \
      "a command that expects data with neither the R nor the W bit")                                        \
    X(immediate_without_write, "11.3.6", initiator, "immediate data of a command that writes nothing")       \
    X(task_attribute, "11.3.1", initiator, "a reserved task attribute")                                      \
    X(tag_in_use, "11.2.1.8", initiator, "an Initiator Task Tag used while its task is open")                \
    X(tag_reserved, "11.2.1.8", initiator, "a request with the reserved Initiator Task Tag")                 \
    X(unknown_task, "11.2.1.8", target, "data or status for a tag of no open command")                       \
    X(after_status, "11.4", target, "data or a second status after a task's status")                         \
    X(residual_bits, "11.4.1", target, "residual overflow and underflow at once")                            \
    X(sense_missing, "11.4.7", target, "CHECK CONDITION without sense data")                                 \
    X(response_code, "11.4.3", target, "a reserved iSCSI response code")                                     \
    /* Sequence numbers */                                                                                   \
    X(cmd_sn_order, "4.2.2.1", initiator, "CmdSN out of sequence")                                           \
    X(cmd_sn_immediate, "4.2.2.1", initiator, "an immediate request with another CmdSN than the next")       \
    X(exp_stat_sn_ahead, "4.2.2.2", initiator, "an ExpStatSN beyond the next StatSN of the target")          \
    X(exp_stat_sn_back, "4.2.2.2", initiator, "an ExpStatSN lower than one before")                          \
    X(exp_cmd_sn_ahead, "4.2.2.1", target, "an ExpCmdSN beyond the commands sent")                           \
    X(exp_cmd_sn_back, "4.2.2.1", target, "an ExpCmdSN lower than one before")                               \
    X(max_cmd_sn_low, "4.2.2.1", target, "a MaxCmdSN below ExpCmdSN - 1")                                    \
    X(stat_sn_repeated, "4.2.2.2", target, "a StatSN used twice at ErrorRecoveryLevel 0")                    \
    X(stat_sn_not_next, "11.8.3", target, "an R2T or ping of the target with another StatSN than the next")  \
    /* Pings */                                                                                              \
    X(nop_out_immediate, "11.18.1", initiator, "a NOP-Out that wants no answer without the I bit")           \
    X(nop_out_answer, "11.18.2", initiator, "a NOP-Out answers a NOP-In that the target did not send")       \
    X(nop_in_answer, "11.18.1", target, "a NOP-In answers a NOP-Out that the initiator did not send")        \
    X(nop_in_tags, "11.19.1", target, "a NOP-In with both tags, answer and ping at once")                    \
    X(ping_data, "11.18.3", target, "a NOP-In returns another number of bytes than were sent")               \
    /* Task management, text, logout, Reject, SNACK */                                                       \
    X(management_function, "11.5.1", initiator, "an unknown task management function")                       \
    X(management_tag, "11.5.4", initiator, "a task management request with a wrong Referenced Task Tag")     \
    X(management_ref_cmd_sn, "11.5.5", initiator,                                                            \
      "ABORT TASK with another RefCmdSN than the CmdSN of its task")                                         \
    X(management_answer, "11.6", target, "a task management response to no request")                         \
    X(management_response, "11.6.1", target, "an unknown response to a task management request")             \
    X(text_answer, "11.11", target, "a Text Response to no request")                                         \
    X(logout_codes, "11.14.1", either, "an unknown reason or response of a logout")                          \
    X(logout_answer, "11.15", target, "a Logout Response to no request")                                     \
    X(request_after_logout, "11.14", initiator, "a new request after the Logout Request")                    \
    X(reject_reason, "11.17.1", target, "a Reject with an unknown reason")                                   \
    X(reject_header, "11.17", target, "a Reject without the header of the rejected PDU")                     \
    X(async_event, "11.9.1", target, "an Async Message with an unknown event")                               \
    X(snack_level, "11.16", initiator, "a SNACK at ErrorRecoveryLevel 0")                                    \
    /* Form of PDUs */                                                                                       \
    X(final_bit, "11.2.1.3", either, "a PDU that is always the last of its kind without the F bit")          \
    X(immediate_bit, "11.2.1.1", either, "the I bit in a PDU that cannot be immediate")                      \
    X(additional_header, "11.2.1.5", either,                                                                 \
      "an additional header segment in a PDU other than a SCSI Command")                                     \
    X(no_data_segment, "11.2.1.6", either, "a data segment in a PDU that has none")                          \
    X(continue_bit, "11.10.2", either, "the C bit together with the F or T bit")                             \
    X(header_digest, "13.1", either, "a header digest that does not match")                                  \
    X(data_digest, "13.1", either, "a data digest that does not match")                                      \
    /* Login and keys */                                                                                     \
    X(login_only, "4.2.3", either, "another PDU before the login is done, or a login PDU after it")          \
    X(login_turns, "6.3", initiator, "a Login Request before the answer to the one before")                  \
    X(login_constant, "11.12", initiator, "ISID, TSIH or CID changed within a login")                        \
    X(login_echo, "11.13", target, "a Login Response with another tag or ISID than its request")             \
    X(login_stage, "11.12.3", either, "a login stage that may not follow")                                   \
    X(login_transit, "11.13.6", target,                                                                      \
      "a Login Response leaves the stage although the request did not ask for it")                           \
    X(login_version, "11.13.2", target, "an active version outside what the initiator offered")              \
    X(login_tsih, "11.13.3", target, "an accepted login without a TSIH, or with another than asked for")     \
    X(login_length, "13.12", either, "a login PDU with more than 8192 bytes of text")                        \
    X(initiator_name, "13.5", initiator, "a first Login Request without InitiatorName")                      \
    X(target_name, "13.4", initiator, "a first Login Request of a normal session without TargetName")        \
    X(text_format, "6.1", either, "text that is not key=value")                                              \
    X(key_repeated, "6.3", either, "a key sent twice in one login")                                          \
    X(key_sender, "13", either, "a key that only the other end may send")                                    \
    X(key_phase, "13", either, "a key in a stage in which it may not be sent")                               \
    X(key_value, "13", either, "a value that the key does not allow")                                        \
    X(key_unanswered, "6.2", either, "an offered key that was not answered")                                 \
    X(key_answer, "6.2.2", either, "an answer outside the offer")                                            \
    X(first_burst_agreed, "13.14", either, "a FirstBurstLength agreed that is greater than MaxBurstLength")

ISCSISCOPE_ENUM(Rule, rule_names, rule_count, ISCSISCOPE_RULES)
std::string_view section(Rule);
std::string_view explanation(Rule);
Offender offender(Rule);

struct RuleRow {
    Rule rule{};
    std::uint64_t checked = 0; // occasions to break the rule, with the values it needs known; 0: never tested
    std::uint64_t broken = 0;
    std::vector<OptionalFrame> first_frames; // at most 5
};

// What the rule limits, as it was done and as it is allowed: bytes, PDUs or serial numbers, by the rule. Both
// zero: the rule has no figures.
struct RuleFigures {
    std::uint64_t done = 0, allowed = 0;
};

// A Reject (RFC 7143 section 11.17).
struct RejectFigures {
    StreamId stream;
    FrameNumber frame = 0;
    Time time{};
    std::uint8_t reason = 0;
    std::optional<Opcode> opcode; // of the rejected PDU; empty: its header is not in the file
    std::uint32_t itt = 0;        // of the rejected PDU
    bool of_violation = false;    // the capture shows the rule that the rejected PDU broke
};

// A PDU that broke a rule, where the other end did not just go on: it rejected the PDU, ended the task
// without an answer, or sent nothing any more that answers what came after it.
struct Violation {
    Rule rule{};
    PduDirection by{}; // to_target: the initiator broke it
    StreamId stream;
    FrameNumber frame = 0;
    Time time{}; // when the PDU was complete
    std::optional<Opcode> opcode;
    std::optional<std::uint32_t> itt;
    RuleFigures figures;
    std::optional<RejectFigures> reject; // the first of this PDU or task
    // From the PDU until the initiator gave its task up (aborted, or reset); empty: it did not.
    std::optional<Duration> given_up;
    // The task ended with an iSCSI response or sense data that say that the protocol was broken (RFC 7143
    // section 11.4.7.2): packed() of sense.h, 0 for the response "target failure".
    std::optional<std::uint32_t> failed;
    FrameNumber failed_frame = 0;
    std::uint64_t again = 0; // further breaches of the rule on this connection
};

struct ConformanceFigures {
    std::array<RuleRow, rule_count> rules; // by Rule
    std::vector<Violation> violations;     // by frame
    std::vector<RejectFigures> rejects;    // in order of the capture; at most 256
};

} // namespace iscsiscope
