// SPDX-License-Identifier: GPL-2.0-or-later
// One SCSI command on its way through a session.
#pragma once

#include "analyzer/iscsi/codec/serial.h"
#include "analyzer/iscsi/codec/tags.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "sample-captures/testbed/initiator/session/buffer_pool.h"
#include "sample-captures/testbed/initiator/session/scsi_commands.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope::testbed::initiator {

enum class DataFlow : std::uint8_t { none, read, write };

enum class TaskOutcome : std::uint8_t {
    pending,
    done,     // a status came; see Task::status
    aborted,  // ended by task management
    rejected, // a Reject, or a response code other than "completed at target"
    lost,     // the session ended first
};

// Times are CLOCK_REALTIME, nanoseconds; nothing: it did not come to that.
struct R2tNote {
    std::int64_t time_ns = 0; // after the read that brought the R2T's last byte
    std::uint32_t ttt = 0, r2t_sn = 0, offset = 0, length = 0;
};

struct Task {
    // The caller's part.
    Cdb cdb{};
    DataFlow flow = DataFlow::none;
    std::shared_ptr<Buffer> data; // to be written, or room for what is read; its size is the EDTL
    std::uint64_t lba = 0;        // reads and writes, for the truth
    std::uint32_t blocks = 0;
    std::function<void(Task &)> ended; // once, whatever the outcome

    // The session's part.
    TaskOutcome outcome = TaskOutcome::pending;
    std::uint8_t status = 0;   // SCSI status
    std::int64_t residual = 0; // bytes; underflow positive, overflow negative
    std::optional<SenseData> sense;
    std::uint32_t received = 0; // bytes of Data-In
    InitiatorTaskTag itt = InitiatorTaskTag::reserved;
    CmdSn cmd_sn;
    unsigned connection = 0; // index, as is the CID
    DataSn next_data_sn;     // expected of Data-In
    DataSn next_r2t_sn;
    bool abort_sent = false;
    bool no_abort = false;         // a second try after an abort is left to end
    std::int64_t submitted_ns = 0; // handed to the session
    std::int64_t last_sign_ns = 0; // the target's last PDU for it; 0: none
    std::optional<std::int64_t> handed_ns, first_data_ns, last_data_sent_ns, status_ns;
    std::vector<R2tNote> r2ts;

    std::uint32_t length() const { return data ? static_cast<std::uint32_t>(data->size()) : 0; }
};
using TaskPtr = std::shared_ptr<Task>;

} // namespace iscsiscope::testbed::initiator
