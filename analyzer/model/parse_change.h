// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/model/model.h"

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// What `predict --set` takes: "MaxBurstLength=1MiB", "InitialR2T=No", "depth=32", "delay=5ms" (one way),
// "loss=0.1%". Keys in any case. Otherwise a sentence that names the mistake and what would be right.
Result<Change> parse_change(std::string_view text);

// Every key that it takes, each with a value: "block=256KiB".
std::vector<std::string_view> change_examples();

} // namespace iscsiscope
