// SPDX-License-Identifier: GPL-2.0-or-later
// PduCounts: counts PDUs by direction and opcode. Kept small, since every connection has one: RFC 7143 uses
// 18 of the 128 combinations, which are counted in place; others are counted in a table allocated on demand.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"

#include <array>
#include <cstdint>
#include <memory>

namespace iscsiscope {

class PduCounts {
public:
    using Table = std::array<std::array<std::uint64_t, 64>, 2>;

    void add(PduDirection direction, Opcode opcode) {
        const std::uint8_t place = is_request(opcode) == (direction == PduDirection::to_target)
                                       ? place_of(static_cast<std::uint8_t>(opcode))
                                       : unusual;
        if (place == unusual)
            ++others()[static_cast<std::size_t>(direction)][static_cast<std::uint8_t>(opcode)];
        else if (++usual_[place] == 0) // overflow: carry into the large table
            others()[static_cast<std::size_t>(direction)][static_cast<std::uint8_t>(opcode)] +=
                std::uint64_t{1} << 32;
    }

    Table table() const {
        Table table{};
        if (others_)
            table = *others_;
        for (std::uint8_t opcode = 0; opcode < 64; ++opcode)
            if (const std::uint8_t place = place_of(opcode); place != unusual)
                table[opcode < 0x20 ? 0 : 1][opcode] += usual_[place];
        return table;
    }

private:
    static constexpr std::uint8_t unusual = 0xff;

    static constexpr std::uint8_t place_of(std::uint8_t opcode) {
        if (opcode <= 0x06)
            return opcode; // requests
        if (opcode == 0x10)
            return 7; // SNACK
        if (opcode >= 0x20 && opcode <= 0x26)
            return static_cast<std::uint8_t>(opcode - 0x20 + 8); // answers
        if (opcode == 0x31)
            return 15; // R2T
        if (opcode == 0x32)
            return 16;                        // Async
        return opcode == 0x3f ? 17 : unusual; // Reject
    }

    Table &others() {
        if (!others_)
            others_ = std::make_unique<Table>();
        return *others_;
    }

    std::array<std::uint32_t, 18> usual_{};
    std::unique_ptr<Table> others_;
};

} // namespace iscsiscope
