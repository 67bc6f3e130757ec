// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace iscsiscope::html {

// Returns the text as a JSON string that may stand inside <script>: no name can end the script.
std::string json_text(std::string_view);

} // namespace iscsiscope::html
