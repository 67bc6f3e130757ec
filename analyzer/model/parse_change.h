// SPDX-License-Identifier: GPL-2.0-or-later
// parse_change: parses the changes that `predict --set` takes.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/model/model.h"

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Parses "MaxBurstLength=1MiB", "InitialR2T=No", "depth=32", "delay=5ms" (one way) or "loss=0.1%". The case
// of the key is ignored. The failure is a sentence that names the mistake and a correct form.
Result<Change> parse_change(std::string_view text);

// Returns an example for each key: "block=256KiB".
std::vector<std::string> change_examples();

} // namespace iscsiscope
