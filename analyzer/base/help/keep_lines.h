// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope {

// Lets the --help of CLI11 2.5 and later keep the lines and indents of descriptions and footers as they are
// written, as earlier versions do: it would wrap them, and examples with them, at 80 columns. `formatter`:
// CLI::FormatterBase.
template <class Formatter>
void keep_lines(Formatter &formatter) {
    if constexpr (requires { formatter.enable_footer_formatting(false); }) {
        constexpr float names_begin = 0.2F; // of the column of names: "  -o, --output", "      --set"
        formatter.enable_description_formatting(false);
        formatter.enable_footer_formatting(false);
        formatter.long_option_alignment_ratio(names_begin);
    }
}

} // namespace iscsiscope
