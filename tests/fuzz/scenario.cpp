// SPDX-License-Identifier: GPL-2.0-or-later
// A scenario file: loaded, or refused with mistakes that name a line and a key.
#include "sample-captures/testbed/scenario/scenario.h"
#include "fuzz/engine_input.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string text(reinterpret_cast<const char *>(data), size);
    const auto loaded = iscsiscope::testbed::scenario::load_scenario(text, "fuzz", {});
    fuzz::require(loaded.scenario.has_value() == loaded.mistakes.empty());
    for (const auto &mistake : loaded.mistakes)
        fuzz::require(!mistake.message.empty());
    return 0;
}
