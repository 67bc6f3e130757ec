// SPDX-License-Identifier: GPL-2.0-or-later
// The sentence above a comparison.
#pragma once

#include "analyzer/figures/compare/comparison.h"

#include <string>

namespace iscsiscope {

// How the throughput over data time differs, with what it rests on.
std::string throughput_sentence(const ThroughputChange &);

} // namespace iscsiscope
