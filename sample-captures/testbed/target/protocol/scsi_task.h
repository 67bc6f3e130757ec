// SPDX-License-Identifier: GPL-2.0-or-later
// One SCSI command on its way through the target: its data collected (immediate, unsolicited, asked for
// by R2T), executed, its data and status sent.
#pragma once

#include "analyzer/iscsi/codec/pdu/data_pdus.h"
#include "analyzer/iscsi/codec/pdu/scsi_pdus.h"
#include "sample-captures/testbed/target/protocol/timers.h"
#include "sample-captures/testbed/target/protocol/truth_log.h"
#include "sample-captures/testbed/target/scsi/result.h"

#include <deque>
#include <memory>

namespace iscsiscope::testbed {

class Session;
class Connection;

class ScsiTask : public std::enable_shared_from_this<ScsiTask> {
public:
    // The session and the connection (to which the task keeps allegiance) outlive the task.
    ScsiTask(Session &, Connection &, const ScsiCommand &, std::int64_t received_ns);

    // The command's own PDU: its immediate data, and whether what it announces is allowed.
    void on_command_data(std::span<const std::byte> data, bool digest_ok);
    void on_data_out(const DataOut &, std::span<const std::byte> data, bool digest_ok);
    // Its turn in the order of CmdSN has come.
    void deliver();
    // Nothing of it is carried out or sent any more.
    void abort();

    const ScsiCommand &command() const { return command_; }
    Connection &connection() { return connection_; }
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
    void finish(ScsiResult);
    void send_data_in(std::uint32_t length, bool with_status, const ScsiResult &);
    void send_response(const ScsiResult &);
    bool injected_status();

    Session &session_;
    Connection &connection_;
    ScsiCommand command_;
    CommandInfo info_;
    std::uint32_t lun_;                     // the number, or none_such
    std::shared_ptr<CommandRecord> record_; // null without a truth file
    std::uint64_t needed_ = 0;              // data-out by the CDB, bytes
    std::uint32_t expected_ = 0;            // data-out that will come: not more than EDTL
    Buffer data_;                           // of expected_
    std::uint32_t received_ = 0;            // bytes, in order from 0
    std::uint32_t unsolicited_ = 0;         // bytes that came without an R2T
    DataSn unsolicited_data_sn_{0};
    bool unsolicited_open_ = false; // more of it is announced
    std::deque<Asked> asked_;       // outstanding R2Ts, oldest first
    std::uint32_t next_ask_ = 0;    // offset behind the last R2T
    DataSn next_r2t_sn_{0};
    bool delivered_ = false, executing_ = false, finished_ = false;
    std::optional<Sense> refused_data_;
    TimerHandle timer_; // R2T delay, then service time
    std::uint32_t overflow_ = 0, underflow_ = 0;
    std::uint32_t data_in_pdus_ = 0;
};

} // namespace iscsiscope::testbed
