// SPDX-License-Identifier: GPL-2.0-or-later
// The logical units that answered with sense data of one group, each with its sums, and their names in
// sentences.
#pragma once

#include "analyzer/findings/facts/facts.h"
#include "analyzer/iscsi/scsi/sense_group.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace iscsiscope {

// One event (a reset, a change of a LUN) gives each session one UNIT ATTENTION for each unit concerned (SAM-5
// section 5.14), and so does the change that corrects it. From the third of a kind on, one unit reports it
// again and again.
inline constexpr std::uint64_t again_and_again = 3;

struct RefusedUnit {
    UnitKey key;
    Refusals all;
    std::map<std::uint32_t, std::uint64_t> by_sense;
    std::map<std::optional<std::uint8_t>, std::uint64_t> by_opcode; // empty: not in the file
    const UnitSight *sight = nullptr;                               // null: no command that needs the unit
};

// Those with a command of the group, most refused Reads and Writes first, then most refused commands.
std::vector<RefusedUnit> refused_units(const Facts &, SenseGroup);
// All of them together.
Refusals total(const std::vector<RefusedUnit> &);
// "LUN 3", "LUN 0 and 1", "LUN 0, 1 and 2", "5 LUNs": the different numbers.
std::string lun_names(const std::vector<RefusedUnit> &);
// What was refused: "20 Writes", "20 Reads and Writes and 1 UNMAP", "3 other commands".
std::string command_words(const std::vector<RefusedUnit> &);
// Bytes of LUN fields that name one logical unit are equal, whatever their form (peripheral or flat
// addressing).
bool same_lun(std::uint64_t, std::uint64_t);
// From the first to the last command of each row of these that were refused.
Course course_of_refusals(const Facts &, const std::function<bool(const RefusalKey &)> &holds);
Course course_of_refusals(const Facts &, SenseGroup);

} // namespace iscsiscope
