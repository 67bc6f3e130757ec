// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/lun.h"

#include <cstdio>

namespace iscsiscope {

std::optional<std::uint32_t> lun_number(Lun lun) {
    const auto v = static_cast<std::uint64_t>(lun);
    const auto first = static_cast<std::uint32_t>(v >> 48);
    const std::uint64_t rest = v & 0x0000ffffffffffff;
    if ((first & 0xff00) == 0 && rest == 0) // peripheral, bus 0
        return first;
    if ((first & 0xc000) == 0x4000 && rest == 0) // flat
        return first & 0x3fff;
    if ((first & 0xff00) == 0xd200 && (rest & 0x00000000ffffffff) == 0) // extended flat, three bytes
        return static_cast<std::uint32_t>(v >> 32) & 0x00ffffff;
    return std::nullopt;
}

Lun make_lun(std::uint16_t number) {
    const std::uint64_t field = number < 256 ? number : 0x4000u | (number & 0x3fffu);
    return Lun{field << 48};
}

std::string to_string(Lun lun) {
    if (const auto number = lun_number(lun))
        return std::to_string(*number);
    char text[2 + 16 + 1];
    std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(lun));
    return text;
}

} // namespace iscsiscope
