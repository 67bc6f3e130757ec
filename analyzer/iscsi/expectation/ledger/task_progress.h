// SPDX-License-Identifier: GPL-2.0-or-later
// TaskProgress: how far one SCSI task has come. In: the headers that have its tag, in the order in which they
// are delivered. Out: what of it is still due, in bytes. A task is open from its first header to its status;
// TaskList begins and ends it. While open it is in one of these states: without a command (an answer was seen
// first), without a tag (the file does not hold the tag of its command), or known. Each may be unsure as
// well: a PDU of it may have been missed.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// The tag of a burst that no R2T asked for (RFC 7143 section 11.7.4).
inline constexpr auto reserved_ttt = static_cast<std::uint32_t>(TargetTransferTag::reserved);

// Data that the target has asked for and that is not sent yet, or unsolicited data that must follow.
struct DataBurst {
    std::optional<std::uint32_t> ttt; // reserved: unsolicited; none: not in the file
    std::uint32_t offset = 0;
    std::optional<std::uint32_t> length;
    std::uint32_t sent = 0, next_data_sn = 0;
    std::uint64_t serial = 0; // in the order in which they were asked for, over all tasks
    // Where the header of its R2T ends in the target's stream; 0: none was found.
    std::uint64_t asked = 0;
};

struct TaskProgress {
    std::uint32_t itt = 0;
    std::uint64_t lun = 0;
    bool tagless = false;     // the tag of its command is not in the file, and no answer has shown it
    bool has_command = false; // its command has been seen
    bool reads = false, writes = false;
    std::optional<std::uint32_t> expected; // ExpectedDataTransferLength
    // Data-In: bytes and PDUs so far, and bytes since the last F bit.
    std::uint32_t in_bytes = 0, in_pdus = 0, in_sequence = 0;
    // Data to the target: bytes so far, the offset behind the last R2T, the number of R2Ts.
    std::uint32_t out_bytes = 0, asked_to = 0, r2ts = 0;
    bool sure = true;              // no PDU of it was missed
    bool doubtful = false;         // its answer may be among PDUs that were not found
    std::vector<DataBurst> bursts; // not finished, oldest first
    // Where in the initiator's stream the header of its command ends, and its latest Data-Out.
    std::uint64_t command = 0, data_out = 0;

    // Its command, of which the bytes that are immediate data count as sent.
    void note_command(const Pdu &);
    // The command of a task of which answers were seen first: another task that has noted nothing else.
    void take_command(const TaskProgress &);
    // Returns the bytes of the sequence of Data-In PDUs up to this one.
    std::uint32_t note_data_in(const Pdu &);
    // A Data-Out of one of its bursts, which is not valid after the last one.
    void note_burst_data(DataBurst &, const Pdu &);
    // Whether an R2T is open of which the file does not show how much it asks for.
    bool asks_unknown_length() const;
    // Whether less Data-In has come than its command expects.
    bool more_data_in() const { return expected && in_bytes < *expected; }
    // Whether no answer has come yet.
    bool unanswered() const { return in_pdus == 0 && r2ts == 0; }
};

// Returns whether the same can come next of two tasks. Where in a stream their headers ended makes no
// difference to that.
bool same_state(const DataBurst &, const DataBurst &);
bool same_state(const TaskProgress &, const TaskProgress &);

} // namespace iscsiscope
