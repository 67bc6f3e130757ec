// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/utf8.h"

namespace iscsiscope {

std::size_t utf8_sequence(std::string_view s) {
    const auto lead = static_cast<unsigned char>(s.front());
    const std::size_t n = lead < 0x80   ? 1
                          : lead < 0xc2 ? 0
                          : lead < 0xe0 ? 2
                          : lead < 0xf0 ? 3
                          : lead < 0xf5 ? 4
                                        : 0;
    if (n == 0 || n > s.size())
        return 0;
    for (std::size_t i = 1; i < n; ++i)
        if ((static_cast<unsigned char>(s[i]) & 0xc0) != 0x80)
            return 0;
    return n;
}

} // namespace iscsiscope
