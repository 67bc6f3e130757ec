// SPDX-License-Identifier: GPL-2.0-or-later
// PduTally: numbers of PDUs by direction and opcode (low six bits). Only those that occur take memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

class PduTally {
public:
    using Table = std::array<std::array<std::uint64_t, 64>, 2>; // by direction (to_target first) and opcode
    struct Entry {
        std::uint8_t direction = 0, opcode = 0;
        std::uint64_t count = 0;
    };

    PduTally() = default;
    explicit PduTally(const Table &table) {
        for (std::size_t d = 0; d < table.size(); ++d)
            for (std::size_t o = 0; o < table[d].size(); ++o)
                if (table[d][o] != 0)
                    add(d, o, table[d][o]);
    }
    void add(std::size_t direction, std::size_t opcode, std::uint64_t count = 1) {
        auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) {
            return e.direction == direction && e.opcode == opcode;
        });
        if (at == entries_.end())
            at = entries_.insert(
                at, {static_cast<std::uint8_t>(direction), static_cast<std::uint8_t>(opcode), 0});
        at->count += count;
    }
    const std::vector<Entry> &entries() const { return entries_; }
    Table table() const {
        Table table{};
        for (const Entry &e : entries_)
            table[e.direction][e.opcode] = e.count;
        return table;
    }

private:
    std::vector<Entry> entries_;
};

} // namespace iscsiscope
