// SPDX-License-Identifier: GPL-2.0-or-later
// What a model of the throughput is of, and what holds that throughput, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope {

enum class Bottleneck : std::uint8_t;
struct ModelInput;

// "6 of 9 Reads, of 256 KiB, 1.57 MB in 650 ms with one of them open": what a model and the measurement
// beside it are of.
std::string modelled_tasks(const ModelInput &);
// "the rate of the path": what holds a modelled throughput.
std::string_view words(Bottleneck);

} // namespace iscsiscope
