// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/capture/files/capture_reader.h"

namespace iscsiscope {

// Adds the properties and totals of one file to those of all before it. `all` is empty before the first.
void add_info(CaptureInfo &all, const CaptureInfo &one);

} // namespace iscsiscope
