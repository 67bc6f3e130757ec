// SPDX-License-Identifier: GPL-2.0-or-later
// Places of the ladder's parts, in pixels.
#pragma once

#include <algorithm>

namespace iscsiscope::gui::ladder {

inline constexpr int top = 48, bottom = 24; // header and footer, which stay when the ladder scrolls
inline constexpr int timeColumn = 104, gapColumn = 186;

struct Posts { // the two hosts' lines
    double left, right;
};
inline Posts posts(int width) {
    return {timeColumn + 24.0, std::max(width - gapColumn - 34.0, timeColumn + 200.0)};
}

} // namespace iscsiscope::gui::ladder
