// SPDX-License-Identifier: GPL-2.0-or-later
// One SCSI command on its way through the target: its data collected (immediate, unsolicited, asked for
// by R2T), executed, its data and status sent.
#pragma once

#include "analyzer/iscsi/codec/pdu/data_pdus.h"
#include "analyzer/iscsi/codec/pdu/scsi_pdus.h"
#include "sample-captures/testbed/target/protocol/target_services.h"
#include "sample-captures/testbed/wire/pdu_link.h"

#include <memory>
#include <vector>

namespace iscsiscope::testbed {

class ScsiTask;

// What a task uses of its session.
class TaskSession {
public:
    virtual std::uint64_t number() const = 0; // of truth rows
    virtual NexusId nexus() const = 0;
    virtual CmdSn exp_cmd_sn() const = 0;
    virtual CmdSn max_cmd_sn() = 0;
    // The status is about to be sent, or the task is aborted: it no longer takes a place in the window.
    virtual void end_task(const ScsiTask &) = 0;

    virtual ~TaskSession() = default;
};

// What a task uses of the connection to which it keeps allegiance.
class TaskConnection {
public:
    virtual const std::string &name() const = 0; // of truth rows
    virtual std::uint16_t cid() const = 0;
    virtual const OperationalParameters &parameters() const = 0; // in force
    virtual StatSn next_stat_sn() const = 0;
    virtual StatSn take_stat_sn() = 0; // and counts it as used
    virtual void transmit(OutgoingPdu) = 0;
    // Calls send_data() of the task, now or as earlier data leaves, until it has sent everything.
    virtual void send_data_of(std::shared_ptr<ScsiTask>) = 0;
    // The longest data segment that the connection can hold at the moment, bytes.
    virtual std::uint32_t largest_data_in() const = 0;

protected:
    ~TaskConnection() = default;
};

// States, in order: its data is collected and its turn in the order of CmdSN awaited (delivered_ false);
// the rest of its data is asked for by R2T (delivered_); it is carried out (executing_); it has its result
// (finished_) and sends its data and status; it is known no more, or was ended by abort() (aborted_).
class ScsiTask final : public std::enable_shared_from_this<ScsiTask> {
public:
    // Services, session and connection outlive the task.
    ScsiTask(TargetServices &, TaskSession &, TaskConnection &, const ScsiCommand &,
             std::int64_t received_ns);

    // The command's own PDU: its immediate data, and whether what it announces is allowed.
    void on_command_data(std::span<const std::byte> data, bool digest_ok);
    void on_data_out(const DataOut &, std::span<const std::byte> data, bool digest_ok);
    // Its turn in the order of CmdSN has come.
    void deliver();
    // Nothing of it is carried out or sent any more.
    void abort();
    // Sends about so many bytes more of its Data-In, and its status behind the last. False: all is sent. Data
    // of the medium is read here, so that a task that waits for its connection holds none.
    bool send_data(std::size_t budget);
    // Data-In that is not sent yet, bytes.
    std::uint32_t unsent() const { return aborted_ ? 0 : given_ - sent_; }

    const ScsiCommand &command() const { return command_; }
    bool belongs_to(const TaskConnection &connection) const { return &connection == &connection_; }
    std::uint32_t lun() const { return lun_; }

private:
    struct Asked {
        R2t r2t;
        std::uint32_t received = 0;
        DataSn next_data_sn{0};
    };

    void place(std::uint32_t offset, std::span<const std::byte> data);
    void refuse_data(const Sense &);
    void proceed();
    void ask_for_data();
    void send_r2t();
    void execute();
    void access(const std::shared_ptr<ScsiResult> &, std::uint64_t begin);
    struct DataPart { // of one PDU
        std::shared_ptr<const void> owner;
        std::span<const std::byte> bytes;
    };
    void finish(ScsiResult);
    void note_status();
    void leave_session();
    bool send_piece(std::size_t most);
    void send_data_in(const DataPart &);
    void end_answer();
    void send_response(const ScsiResult &);
    bool injected_status();

    TargetServices &services_;
    TaskSession &session_;
    TaskConnection &connection_;
    ScsiCommand command_;
    CommandInfo info_;
    std::uint32_t lun_;                     // the number, or none_such
    std::shared_ptr<CommandRecord> record_; // null without a truth file
    std::uint64_t needed_ = 0;              // data-out by the CDB, bytes
    std::uint32_t expected_ = 0;            // data-out that will come: not more than EDTL
    Buffer data_;                           // of expected_; once finished_, data-in not of the medium
    std::uint32_t received_ = 0;            // bytes, in order from 0
    std::uint32_t unsolicited_ = 0;         // bytes that came without an R2T
    DataSn unsolicited_data_sn_{0};
    bool unsolicited_open_ = false; // more of it is announced
    std::vector<Asked> asked_;      // outstanding R2Ts, oldest first
    std::uint32_t next_ask_ = 0;    // offset behind the last R2T
    DataSn next_r2t_sn_{0};
    bool delivered_ = false, executing_ = false, finished_ = false, aborted_ = false;
    std::optional<Sense> refused_data_;
    TimerHandle timer_; // R2T delay, then service time
    std::uint32_t overflow_ = 0, underflow_ = 0;
    ScsiResult result_;                        // once finished_
    bool dropped_ = false, collapsed_ = false; // the status is left out; it went with the last Data-In
    std::uint32_t given_ = 0, sent_ = 0;       // Data-In, bytes
    std::uint32_t burst_ = 0;                  // bytes of the sequence that is being sent
    std::uint32_t data_in_pdus_ = 0;
};

} // namespace iscsiscope::testbed
