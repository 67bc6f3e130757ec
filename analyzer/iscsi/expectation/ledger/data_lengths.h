// SPDX-License-Identifier: GPL-2.0-or-later
// DataLengths: how long data segments and sequences of them are. In: what the login has settled, and the data
// PDUs that are in the file. Out: the length of the next segment, where that follows. All sizes are bytes.
#pragma once

#include "analyzer/iscsi/expectation/ledger/task_progress.h"

#include <cstdint>

namespace iscsiscope {

// What the login has settled; 0: not known.
struct NegotiatedLengths {
    // MaxRecvDataSegmentLength of the initiator, and of the target; MaxBurstLength.
    std::uint32_t data_in = 0, data_out = 0, burst = 0;
};

// The data segments of one direction. 0: none.
struct SegmentLength {
    std::uint32_t negotiated = 0;
    std::uint32_t whole = 0,
                  run = 0;     // the latest that did not end its sequence, how many in a row had its length
    std::uint32_t largest = 0; // of those that ended one

    void note(std::uint32_t length, bool final);
    // Of the bytes that are due, what the next data segment takes; 0: that does not follow. More than one
    // segment follows only once one has been seen that did not end its sequence.
    std::uint32_t next(std::uint32_t due) const;
};

class DataLengths {
public:
    void negotiated(const NegotiatedLengths &);
    // Data-In of a task that has noted it. sequence: the bytes of its sequence up to here.
    void note_data_in(const TaskProgress &, std::uint32_t sequence, const Pdu &);
    void note_data_out(const Pdu &pdu) {
        if (!pdu.inferred)
            out_.note(pdu.data_length, pdu.view().final());
    }
    std::uint32_t next_data_in(std::uint32_t due) const { return in_.next(due); }
    std::uint32_t next_data_out(std::uint32_t due) const { return out_.next(due); }
    // Bytes of a sequence of Data-In that does not end its task, and what R2Ts ask for at most
    // (MaxBurstLength); 0: not known yet.
    std::uint32_t read_burst() const { return read_burst_ != 0 ? read_burst_ : negotiated_burst_; }
    std::uint32_t write_burst() const { return negotiated_burst_; }

private:
    SegmentLength in_, out_;
    std::uint32_t negotiated_burst_ = 0, read_burst_ = 0;
};

} // namespace iscsiscope
