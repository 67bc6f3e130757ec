// SPDX-License-Identifier: GPL-2.0-or-later
// WriteBurst: what has passed of one burst of a task's write data, which is an R2T with the Data-Out PDUs
// that answer it, or the unsolicited data (docs/figures.md, "R2T burst").
//
// In: its R2T, the header and the end of each of its PDUs with data, in the order of their delivery. Out: the
// burst's record, and the wait for its R2T. States: no data yet; data, from the first byte on, which may go
// on after the F bit.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/cycles/tasks/target_wait.h"
#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// What is wrong with a Data-Out PDU of a burst.
struct DataOutFaults {
    bool out_of_sequence = false; // DataSN was not the expected one
    bool overrun = false;         // the burst exceeds its desired length
};

struct WriteBurst {
    BurstRecord row;         // without what record() adds
    std::optional<Time> r2t; // delivered
    Time r2t_seen{};         // first_seen of the R2T, in this frame
    FrameNumber r2t_seen_frame = 0;
    std::optional<Time> data_before_r2t;
    std::optional<Time> first; // first_seen of the first Data-Out
    Time last{};               // delivered of the last byte; with any data
    std::uint32_t next_data_sn = 0;

    // Takes the burst's R2T. data_before: when the last data of the task before it passed; empty: none has.
    void requested(const Pdu &, std::optional<Time> data_before);
    // The header of the SCSI Command whose immediate data begins the burst has been delivered.
    void immediate_begins(const Pdu &);
    // The SCSI Command with its immediate data has been delivered.
    void immediate_ends(const Pdu &);
    // The header of a Data-Out has been delivered.
    void data_out_begins(const Pdu &);
    // A whole Data-Out has been delivered.
    DataOutFaults data_out_ends(const Pdu &);

    // The wait for its R2T. status: from the command's delivery to the status. after_data: a wait that begins
    // with the end of the bursts before; their data may have been under way when the R2T passed.
    TargetWait wait_for_r2t(const TargetWait &status, const TargetWait &after_data) const;
    // Its record without task, stream and number; of_unsolicited: it is the one of unsolicited data.
    // command_delivered: empty while the command is unknown.
    BurstRecord record(bool of_unsolicited, std::optional<Time> command_delivered) const;
};

} // namespace iscsiscope
