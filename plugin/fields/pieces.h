// SPDX-License-Identifier: GPL-2.0-or-later
// Pieces of a text for Wireshark's tree, which cuts a line off at 240 bytes, its name included.
#pragma once

#include <string_view>
#include <vector>

namespace iscsiscope::plugin {

// The sentences of a text, in order; a longer one is parted at spaces. Joined by single spaces, the pieces
// are the text again. They point into it.
std::vector<std::string_view> pieces(std::string_view text);

} // namespace iscsiscope::plugin
