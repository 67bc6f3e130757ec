// SPDX-License-Identifier: GPL-2.0-or-later
// The serial numbers of RFC 7143 (section 4.2.2) as distinct types, compared modulo 2^32.
#pragma once

#include "analyzer/base/serial.h"

namespace iscsiscope {

struct CmdSnTag;
struct StatSnTag;
struct DataSnTag;

using CmdSn = Serial<CmdSnTag>;   // CmdSN, ExpCmdSN, MaxCmdSN: session-wide
using StatSn = Serial<StatSnTag>; // StatSN, ExpStatSN: per connection
using DataSn = Serial<DataSnTag>; // DataSN, R2TSN, ExpDataSN: per task (Data-Out: per R2T)

} // namespace iscsiscope
