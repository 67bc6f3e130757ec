// SPDX-License-Identifier: GPL-2.0-or-later
// SyncContext: the sequence numbers of a connection, from the headers of both directions, and the ledger of
// what is under way on it. It decides whether a header found after a break continues the stream.
#pragma once

#include "analyzer/iscsi/expectation/completion.h"
#include "analyzer/iscsi/expectation/continuation.h"
#include "analyzer/iscsi/expectation/ledger/number_distance.h"
#include "analyzer/iscsi/expectation/ledger/task_ledger.h"
#include "analyzer/iscsi/pdu/pdu.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

// Answers carry ExpCmdSN and StatSN, requests CmdSN and ExpStatSN. A header that continues these numbers
// needs no further proof; neither does a Data-Out whose tags and range are those of a recent R2T, which holds
// also where a target numbers nothing (StatSN stays 0). Chance makes two 32-bit numbers lie within 4096 of
// the last ones with probability 2^-38, one within 256 (Data-Out and SNACK have one) with 2^-23;
// plausible_header() adds a factor of 2^-24.
class SyncContext {
public:
    // The capture lacks bytes of this connection, so the ledger notes what is under way. It begins with the
    // connection; where the first headers are whole it is put away until it is needed.
    void lacks_bytes() {
        lacks_bytes_ = true;
        if (ledger_)
            return;
        begin_ledger();
        if (headers_ > 0)
            ledger_->begins_late();
    }
    // Null while it is put away.
    const TaskLedger *ledger() const { return ledger_.get(); }
    TaskLedger *ledger() { return ledger_.get(); }
    // Takes the ledger of a confirmed reading of the direction to the target: that ledger has noted the
    // commands before their answers. Only while ledger() is not null.
    void adopt(TaskLedger &&ledger) {
        *ledger_ = std::move(ledger);
        ledger_->set_withheld({});
    }
    // By the login.
    void negotiated(const NegotiatedLengths &lengths) {
        lengths_ = lengths;
        if (ledger_)
            ledger_->negotiated(lengths);
    }

    // Fills in what follows for a header that the file holds in part.
    void complete(Pdu &pdu) const {
        if (pdu.known != whole_header && ledger_)
            iscsiscope::complete(ledger_->state(), pdu);
    }
    void note(const Pdu &pdu) {
        if (headers_ == 0 && !ledger_)
            begin_ledger();
        if (headers_ < first_headers && ++headers_ == first_headers && !lacks_bytes_)
            ledger_.reset();
        if (ledger_)
            ledger_->note(pdu);
        if (pdu.known == whole_header)
            note(pdu.view());
    }

    // Takes the numbers of a whole header.
    void note(HeaderView h) {
        // The numbers of a Login Response are valid only if it accepts (RFC 7143 section 11.13.4).
        if (h.opcode() == Opcode::login_response && h.login_status_class() != 0)
            return;
        if (h.opcode() == Opcode::r2t)
            asked_[next_++ % asked_.size()] = {h.initiator_task_tag(), h.target_transfer_tag(),
                                               h.buffer_offset(), h.desired_data_transfer_length()};
        if (h.has_exp_cmd_sn()) {
            command_ = h.exp_cmd_sn().value;
            window_ = h.max_cmd_sn().value;
            if (h.has_stat_sn())
                status_ = h.stat_sn().value;
        } else if (h.has_exp_stat_sn()) {
            status_ = h.exp_stat_sn().value;
            if (h.has_cmd_sn())
                command_ = h.cmd_sn().value;
        }
    }

    bool known() const { return command_ || status_; }

    bool matches(const Pdu &pdu) const {
        return pdu.in_file == whole_header
                   ? matches(pdu.view())
                   : ledger_ && continues(ledger_->state(), pdu.view(), pdu.in_file, pdu.direction);
    }
    bool matches(HeaderView h) const {
        if (h.has_exp_cmd_sn()) {
            if (window_ && !is_near(h.max_cmd_sn().value, window_))
                return false;
            if (h.has_stat_sn() && status_ && !is_near(h.stat_sn().value, status_))
                return false;
            return is_near(h.exp_cmd_sn().value, command_);
        }
        if (!h.has_exp_stat_sn())
            return false;
        if (h.opcode() == Opcode::data_out && answers_r2t(h))
            return true;
        return h.has_cmd_sn() ? is_around(h.exp_stat_sn().value, status_) &&
                                    is_around(h.cmd_sn().value, command_) // both may begin with zero
                              : is_near(h.exp_stat_sn().value, status_, 256);
    }

private:
    static constexpr std::uint8_t first_headers = 16;

    void begin_ledger() {
        ledger_ = std::make_unique<TaskLedger>();
        ledger_->negotiated(lengths_);
    }

    struct Asked {
        InitiatorTaskTag task = InitiatorTaskTag::reserved;
        TargetTransferTag transfer = TargetTransferTag::reserved;
        std::uint32_t offset = 0, length = 0;
    };

    bool answers_r2t(HeaderView h) const {
        return std::any_of(
            asked_.begin(), asked_.end(),
            [h](const Asked &a) {
                const std::uint32_t at = h.buffer_offset() - a.offset;
                return a.task == h.initiator_task_tag() && a.transfer == h.target_transfer_tag() &&
                       at < a.length && h.data_segment_length() <= a.length - at;
            });
    }

    std::unique_ptr<TaskLedger> ledger_;
    NegotiatedLengths lengths_;
    bool lacks_bytes_ = false;
    std::uint8_t headers_ = 0;             // noted, up to first_headers
    std::optional<std::uint32_t> command_; // CmdSN or ExpCmdSN
    std::optional<std::uint32_t> status_;  // StatSN or ExpStatSN
    std::optional<std::uint32_t> window_;  // MaxCmdSN
    std::array<Asked, 4> asked_{};         // the latest R2Ts
    std::uint32_t next_ = 0;
};

} // namespace iscsiscope
