// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of one logical unit that two hosts wrote. A host is an initiator name; its paths are one host.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/capture/segment.h"

#include <array>
#include <cstdint>
#include <string>

namespace iscsiscope {

struct SharedWrites {
    std::uint64_t lun = 0; // on a path to the unit, as are the target and the connection
    Endpoint target;
    StreamId stream;
    std::array<std::string, 2> hosts;
    std::array<IpAddress, 2> addresses;
    // Ranges of blocks that both wrote: in turn, that is, neither had done with them before the other began;
    // of these, those of which two Writes were open at the same time; and those that one wrote after the
    // other for good. Of large work a part is looked at (WrittenBlocks).
    std::uint64_t in_turn = 0, at_once = 0, handed_over = 0;
    // Of the ranges in turn, those that the first host wrote last, without having read what the other had
    // read and written in between: that is lost.
    std::uint64_t stale = 0;
    std::uint64_t blocks = 0; // of the ranges in turn
    // Of the first range in turn: commands of the first host, of the other, and of the one that wrote last.
    std::array<OptionalFrame, 3> frames;
    bool by_designator = false; // the unit; else by target name and LUN, which may be two units
    bool reserved = false;      // a path of the unit had commands for reservations
    bool compared = false;      // or COMPARE AND WRITE, by which hosts lock blocks
};

} // namespace iscsiscope
