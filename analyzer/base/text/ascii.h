// SPDX-License-Identifier: GPL-2.0-or-later
// Classes of ASCII characters, whatever the locale.
#pragma once

namespace iscsiscope {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

} // namespace iscsiscope
