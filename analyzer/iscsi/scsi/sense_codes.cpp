// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/sense_codes.h"

#include <algorithm>

namespace iscsiscope {

std::array<std::span<const SenseCode>, 2> sense_codes() {
    return {scsi_detail::sense_codes_low(), scsi_detail::sense_codes_high()};
}

std::string_view sense_code_name(std::uint8_t asc, std::uint8_t ascq) {
    const auto table = sense_codes()[asc < scsi_detail::first_high_code ? 0 : 1];
    const auto at = std::ranges::find_if(
        table, [&](const SenseCode &c) { return c.asc == asc && c.first <= ascq && ascq <= c.last; });
    return at == table.end() ? std::string_view() : at->name;
}

} // namespace iscsiscope
