// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers that several tables share: the names of an enumeration, the cell of a frame number.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/base/value.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace iscsiscope {

// The names of the directions, in the order of their enumeration.
inline constexpr std::string_view direction_names[] = {"to_target", "to_initiator"};

// Returns the names of an enumeration for Column::choices: a filter on a misspelt name is refused.
template <class Enum, Enum Last>
std::array<std::string_view, static_cast<std::size_t>(Last) + 1> names_of() {
    std::array<std::string_view, static_cast<std::size_t>(Last) + 1> names;
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = name(static_cast<Enum>(i));
    return names;
}

inline Value frame_cell(OptionalFrame f) {
    return to_value(f);
}
inline Value frame_cell(FrameNumber f) {
    return frame_cell(known_frame(f));
}

} // namespace iscsiscope
