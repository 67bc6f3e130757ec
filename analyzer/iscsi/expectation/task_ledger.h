// SPDX-License-Identifier: GPL-2.0-or-later
// TaskLedger: what is under way on one connection, from the headers of both directions: which tasks are open,
// how many of their bytes have passed, which R2Ts are not answered yet, and the numbers of both ends. From it
// follow the fields of a header that the file holds in part (complete()), and which PDU can come next
// (forecast.h). Headers go in in the order in which they are delivered. Copyable. Sizes are bytes.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// The tag of a burst that no R2T asked for (RFC 7143 section 11.7.4).
inline constexpr auto reserved_ttt = static_cast<std::uint32_t>(TargetTransferTag::reserved);

class TaskLedger {
public:
    // Where in its direction's stream something ended. Two states that differ in nothing else are the same.
    struct Passed {
        std::uint64_t offset = 0;
        bool operator==(const Passed &) const { return true; }
    };
    // Data that the target has asked for and that is not sent yet, or unsolicited data that must follow.
    struct Burst {
        std::optional<std::uint32_t> ttt; // reserved: unsolicited; none: not in the file
        std::uint32_t offset = 0;
        std::optional<std::uint32_t> length;
        std::uint32_t sent = 0, next_data_sn = 0;
        std::uint64_t serial = 0; // in the order in which they were asked for, over all tasks
        Passed asked;             // the header of its R2T; 0: none was found
        bool operator==(const Burst &) const = default;
    };

    struct Task {
        std::uint32_t itt = 0;
        std::uint64_t lun = 0;
        bool tagless = false;     // the tag of its command is not in the file, and no answer has shown it
        bool has_command = false; // its command has been seen
        bool reads = false, writes = false;
        std::optional<std::uint32_t> expected; // ExpectedDataTransferLength
        // Data-In: bytes and PDUs so far, and bytes since the last F bit. sure: no PDU of it was missed.
        std::uint32_t in_bytes = 0, in_pdus = 0, in_sequence = 0;
        // Data to the target: bytes so far, the offset behind the last R2T, the number of R2Ts.
        std::uint32_t out_bytes = 0, asked_to = 0, r2ts = 0;
        bool sure = true;
        bool doubtful = false;     // its answer may be among PDUs that were not found
        std::vector<Burst> bursts; // not finished, oldest first
        Passed command, data_out;  // the header of its command, and its latest Data-Out
        bool operator==(const Task &) const = default;
    };

    // Fills in the fields of a header that are not in the file and that follow from the ones before. The
    // PDU's extent must be known. A field that does not follow stays unknown.
    void complete(Pdu &) const;
    // Takes the header of a PDU, after complete().
    void note(const Pdu &);
    // The tag of a PDU that was noted without one has become known: of a command, or of the answer that ended
    // its task.
    void note_named(const Pdu &);
    // note() where commands without a tag are known before their answers: an answer to a tag that no task has
    // is that to the oldest command without one.
    void note_answer(const Pdu &);
    // Numbers and tags of a header that the file holds in part: whether they continue what the ledger holds,
    // by at least 32 bits that chance would have to meet.
    bool continues(HeaderView, HeaderMask known, PduDirection) const;
    // Compares the numbers of a header with what the other direction has shown up to here: whoever
    // acknowledges what the file shows only later was captured at another place or by another clock, and the
    // order is unknown. Not to be called while headers of the other direction are withheld.
    void note_disorder(const Pdu &);
    // Whether one of the last 64 headers compared was ahead of the other direction, or the ledger began with
    // tasks under way and has compared fewer.
    void begins_late() { disordered_ = 64; }
    bool disordered() const { return disordered_ > 0; }
    // PDU boundaries of a direction were lost: what is under way may have gone on unseen.
    void lost(PduDirection);
    // PDUs to the initiator before this header, which is found, were lost: where the target answers commands
    // of a kind in order, answers to commands of the same kind that are younger than its own were not missed.
    void lost_before(const Pdu &);
    // PDUs of a direction were lost, and only these tasks can have gone on in them.
    void lost(PduDirection, const std::vector<std::uint32_t> &tasks);
    // Returns whether the same can come next in a direction. The order of commands without a tag makes no
    // difference to the PDUs to the target.
    bool same_state(const TaskLedger &, PduDirection) const;
    // The other ledger is in the same state: of each place in a stream (Passed) takes the earlier one of
    // both.
    void take_earlier(const TaskLedger &);
    // What the login has settled; 0: not known.
    struct Limits {
        std::uint32_t data_in = 0,
                      data_out = 0; // MaxRecvDataSegmentLength of the initiator, and of the target
        std::uint32_t burst = 0;    // MaxBurstLength
    };
    void negotiated(const Limits &);

    // What may have come in the other direction and is not delivered, since a bridge has not confirmed it.
    struct Withheld {
        std::uint32_t commands = 0;
        bool data = false, r2ts = false;
    };
    void set_withheld(Withheld w) { withheld_ = w; }
    Withheld withheld() const { return withheld_; }
    // How many commands may wait for an answer of which nothing else is known.
    std::size_t unknown_commands() const;
    // How many more R2Ts without a tag there can be: two for each command of which the tag is not known.
    bool may_ask_unknown() const;

    const std::vector<Task> &tasks() const { return tasks_; }
    const Task *find(std::uint32_t itt) const;
    // Of `left` bytes that are due, what the next data segment to the initiator, or to the target, takes; 0:
    // that does not follow.
    std::uint32_t next_data_in(std::uint32_t left) const { return unit_in_.next(left); }
    std::uint32_t next_data_out(std::uint32_t left) const { return unit_out_.next(left); }
    // Bytes of a sequence of Data-In that does not end its task, and what R2Ts ask for at most
    // (MaxBurstLength); 0: not known yet.
    std::uint32_t read_burst() const { return read_burst_ != 0 ? read_burst_ : negotiated_burst_; }
    std::uint32_t write_burst() const { return negotiated_burst_; }
    // The next StatSN, and the next CmdSN of this connection's initiator (other connections of a session use
    // numbers too); none while one may have been missed.
    std::optional<std::uint32_t> next_status() const {
        return sure_of_statuses_ ? next_status_ : std::nullopt;
    }
    std::optional<std::uint32_t> next_command() const {
        return sure_of_commands_ ? next_command_ : std::nullopt;
    }
    // Whether the target has answered commands of a kind in the order in which they came: of the answers that
    // are in the file and had a choice, at least seven of eight went to the oldest. True if there were none.
    bool answers_in_order() const { return out_of_order_ * 8 <= in_order_ + out_of_order_; }
    // The task of which a sequence of Data-In PDUs, or of Data-Out PDUs, has begun and not ended with its F
    // bit; of Data-In also one whose data have begun and not ended, if the target has never sent others'
    // between.
    std::optional<std::uint32_t> receiving() const { return receiving_; }
    std::optional<std::uint32_t> sending() const { return sending_; }
    // R2Ts carry the next StatSN (RFC 7143 section 11.8.3); some targets leave the field zero.
    bool r2t_numbered() const { return r2t_numbered_; }
    // Other connections use CmdSNs of the session between those of this one.
    bool shares_numbers() const { return shares_numbers_; }
    // The immediate data of the next write command; 0: none. Empty if that does not follow: a write that has
    // as much as the one before it, and as the one before that, is followed by more of them; else, of whole
    // blocks, by one.
    std::optional<std::uint32_t> immediate_data() const;
    // Whether a command without data may come where one with immediate data may: not after two or more
    // commands in the file in a row that had such data. many_without_data(): the last four PDUs to the
    // target, or more, were predicted commands without data.
    bool may_lack_data() const { return with_data_run_ < 2; }
    bool many_without_data() const { return without_data_predicted_ >= 4; }
    // Whether the initiator has sent data for R2Ts in the order in which they came, as answers_in_order() has
    // it of commands. `surely`: at least four had a choice, and none was for a younger R2T.
    bool bursts_in_order() const {
        return bursts_out_of_order_ * 8 <= bursts_in_order_ + bursts_out_of_order_;
    }
    bool bursts_surely_in_order() const { return bursts_in_order_ >= 4 && bursts_out_of_order_ == 0; }
    // A ping of the target (RFC 7143 section 11.19: a NOP-In with a TargetTransferTag) that the initiator has
    // not answered yet.
    struct Ping {
        std::uint32_t ttt = 0;
        Passed asked; // its header
        bool operator==(const Ping &) const = default;
    };
    const std::optional<Ping> &ping() const { return ping_; }
    // The command window allows another command (MaxCmdSN).
    bool window_open() const;
    // Data that the target has asked for by an R2T that was not found may be under way.
    bool may_owe_data() const;
    // What the latest read command asked for; 0: none.
    std::uint32_t latest_read() const { return latest_read_; }
    // The LUN of the latest command.
    std::uint64_t latest_lun() const { return latest_lun_; }
    // Whether the target sends the status of a good Read in its last Data-In; empty: not seen yet, or it does
    // both.
    std::optional<bool> status_with_data() const {
        return with_data_ > 0 && without_data_ > 0 ? std::nullopt
               : with_data_ + without_data_ == 0   ? std::nullopt
                                                   : std::optional(with_data_ > 0);
    }

private:
    void give_tag(std::uint32_t itt);
    Task *find_open(std::uint32_t itt);
    Task &open(std::uint32_t itt);
    void close(std::uint32_t itt);
    void close(std::vector<Task>::iterator);
    static Burst *burst_of(Task &, std::uint32_t ttt);
    Burst &begin_burst(Task &, std::optional<std::uint32_t> ttt, std::uint32_t offset,
                       std::optional<std::uint32_t> length);
    void complete_data_in(Pdu &, const Task &) const;
    void complete_r2t(Pdu &, const Task &) const;
    static void complete_data_out(Pdu &, const Task &);
    static void complete_residual(Pdu &, const Task &, std::uint32_t moved);
    void read_command(Task &, const Pdu &);
    std::vector<Task>::iterator first_tagless();
    void note_order(const Task &);
    void note_command_data(const Pdu &);
    void note_nop(const Pdu &);
    void note_burst_order(const Burst &);
    void note_status_place(bool with_data);
    void note_data_out(Task &, const Pdu &);
    void note_data_in(Task &, const Pdu &);

    std::vector<std::uint32_t> tags_; // of tasks_, in the same order: oldest first
    std::vector<Task> tasks_;
    // Of a data segment: as negotiated; the latest that did not end its sequence, and how many in a row had
    // its length; the largest. 0: none.
    struct Unit {
        std::uint32_t negotiated = 0, whole = 0, run = 0, largest = 0;
        void note(std::uint32_t length, bool final);
        // Of `left` bytes, what the next data segment takes; 0: that does not follow. More than one segment
        // follows only once one has been seen that did not end its sequence.
        std::uint32_t next(std::uint32_t left) const;
    };
    Unit unit_in_, unit_out_;
    std::uint64_t bursts_begun_ = 0;
    std::uint64_t latest_lun_ = 0;
    std::uint32_t latest_read_ = 0;
    std::uint32_t negotiated_burst_ = 0, read_burst_ = 0;
    std::uint32_t immediate_data_ = 0, immediate_run_ = 0; // how many in a row had that much
    std::optional<Ping> ping_;
    std::uint16_t bursts_in_order_ = 0, bursts_out_of_order_ = 0;
    std::uint8_t with_data_run_ = 0;          // commands in the file in a row that had immediate data
    std::uint8_t without_data_predicted_ = 0; // predicted commands without data in a row
    std::optional<std::uint32_t> next_status_, next_command_;
    std::optional<std::uint32_t> max_cmd_sn_;
    std::optional<std::uint32_t> receiving_, sending_;
    Withheld withheld_;
    std::uint16_t unknown_asks_ = 0; // R2Ts without a tag
    std::uint16_t missing_ = 0;      // commands that were not found and may not be answered yet
    std::uint16_t answered_ = 0;     // answers to such ones, and to withheld ones, without a tag
    std::uint16_t in_order_ = 0, out_of_order_ = 0;
    std::uint16_t with_data_ = 0, without_data_ = 0; // statuses of good Reads
    std::uint8_t disordered_ = 0;
    bool interleaves_ = false;
    bool r2t_numbered_ = false;
    bool shares_numbers_ = false;
    bool guessed_ = false; // a command with data was predicted since the last one in the file
    bool sure_of_commands_ = false, sure_of_statuses_ = false; // none was missed since the last one
};

} // namespace iscsiscope
