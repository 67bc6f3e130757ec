// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the contents of the segments that both captures of a pair hold.
#pragma once

#include "analyzer/tcp/pair/connection_match.h"

namespace iscsiscope {

PairedContents compare_contents(const ConnectionMatch &, Side sender);

} // namespace iscsiscope
