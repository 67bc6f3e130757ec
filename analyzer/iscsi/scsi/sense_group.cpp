// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/sense_group.h"

#include "analyzer/iscsi/scsi/sense.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

constexpr std::uint8_t illegal_request = 0x05, unit_attention = 0x06, miscompare = 0x0e;

struct Member {
    std::uint8_t asc, ascq;
    SenseGroup group;
};

// Whatever the key.
constexpr std::array anywhere = {
    Member{0x04, 0x0a, SenseGroup::path_state}, // transition
    Member{0x04, 0x0b, SenseGroup::path_state}, // standby
    Member{0x04, 0x0c, SenseGroup::path_state}, // unavailable
    Member{0x25, 0x00, SenseGroup::lun_missing}, Member{0x27, 0x07, SenseGroup::space},
    Member{0x55, 0x07, SenseGroup::space}, // quota
};

constexpr std::array of_illegal_request = {
    Member{0x20, 0x09, SenseGroup::lun_missing}, // access denied, invalid LU identifier
    Member{0x68, 0x00, SenseGroup::lun_missing}, // not configured
};

constexpr std::array of_unit_attention = {
    Member{0x2a, 0x00, SenseGroup::configuration}, // parameters
    Member{0x2a, 0x01, SenseGroup::configuration}, // mode parameters
    Member{0x2a, 0x06, SenseGroup::path_state},
    Member{0x2a, 0x07, SenseGroup::path_state},    // an implicit transition failed
    Member{0x2a, 0x09, SenseGroup::configuration}, // capacity
    Member{0x38, 0x07, SenseGroup::space_warning},
    Member{0x3f, 0x01, SenseGroup::configuration}, // microcode
    Member{0x3f, 0x02, SenseGroup::configuration}, // operating definition
    Member{0x3f, 0x03, SenseGroup::configuration}, // INQUIRY data
    Member{0x3f, 0x05, SenseGroup::configuration}, // device identifier
    Member{0x3f, 0x0a, SenseGroup::configuration}, // volume sets
    Member{0x3f, 0x0b, SenseGroup::configuration},
    Member{0x3f, 0x0c, SenseGroup::configuration},
    Member{0x3f, 0x0d, SenseGroup::configuration},
    Member{0x3f, 0x0e, SenseGroup::configuration}, // which LUNs there are
    Member{0x3f, 0x16, SenseGroup::configuration}, // microcode, without a reset
};

template <class Table>
SenseGroup find(const Table &table, std::uint32_t sense) {
    const auto at = std::ranges::find_if(
        table, [&](const Member &m) { return (std::uint32_t{m.asc} << 8 | m.ascq) == (sense & 0xffff); });
    return at != table.end() ? at->group : SenseGroup::other;
}

} // namespace

SenseGroup group_of(std::uint32_t sense) {
    const std::uint8_t key = sense_key_of(sense);
    if (key == miscompare)
        return SenseGroup::miscompare;
    if ((sense & sense_code_cut) != 0)
        return SenseGroup::other;
    if (const SenseGroup g = find(anywhere, sense); g != SenseGroup::other)
        return g;
    return key == illegal_request  ? find(of_illegal_request, sense)
           : key == unit_attention ? find(of_unit_attention, sense)
                                   : SenseGroup::other;
}

} // namespace iscsiscope
