// SPDX-License-Identifier: GPL-2.0-or-later
// PduRole: the function of a PDU in its cycle, as known from its header and from the tasks open at that time.
#pragma once

#include <cstdint>

namespace iscsiscope {

enum class PduRole : std::uint8_t {
    none,           // no PDU is known there
    keep_alive,     // NOP-Out of the initiator's own, NOP-In of the target's own
    control,        // other NOP, task management, text, login, logout, SNACK, Async, Reject
    command_alone,  // SCSI Command, no other task outstanding on its connection
    command_queued, // SCSI Command, others outstanding
    first_data_in,
    more_data_in,
    status, // SCSI Response, or a Data-In with the S bit and no data
    r2t,
    first_data_out,       // of the burst that answers an R2T
    more_data_out,        // further Data-Out of a burst, and all unsolicited ones
    data_out_without_r2t, // the first Data-Out of a burst whose R2T is not in the capture
};

} // namespace iscsiscope
