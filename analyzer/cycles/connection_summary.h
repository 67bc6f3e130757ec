// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/cycles/cycle_connection.h"
#include "analyzer/cycles/records/cycle_options.h"

namespace iscsiscope {

// Returns the record of an iSCSI connection that has ended. The connection must belong to a session.
ConnectionRecord connection_record(const CycleConnection &, const Connection &, CloseReason,
                                   const CycleOptions &);

} // namespace iscsiscope
