// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/cycles/cycle_connection.h"
#include "analyzer/cycles/records/cycle_options.h"

namespace iscsiscope {

// The record of a connection that has ended; its session is known.
ConnectionRecord connection_record(const CycleConnection &, const Connection &, CloseReason,
                                   const CycleOptions &);

} // namespace iscsiscope
