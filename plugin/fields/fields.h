// SPDX-License-Identifier: GPL-2.0-or-later
// The fields, subtrees and expert infos that Wireshark knows of us.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/findings/finding.h"
#include "analyzer/query/column.h"
#include "plugin/compat/wireshark_versions.h"

#include <cstdint>
#include <span>

namespace iscsiscope::plugin {

// Fields that show no column of the rows (field_table.h). Those of columns have the numbers behind these.
enum class Field : std::uint8_t {
    cycle,
    cycle_role,
    burst,
    gap,
    gap_proof,
    gap_proof_frame,
    tcp,
    event,
    anomaly,
    finding,
    count,
};

// Field id as Wireshark gave it.
int hf(Field);

enum class Subtree : std::uint8_t { protocol, cycle, burst, gap, tcp, finding, count };
gint ett(Subtree);

enum class ItemKind : std::uint8_t { subtree, end_of_subtree, number, big_number, text, share, time, expert };

// Groups of fields within a subtree, in the order in which they are shown.
enum class Part : std::uint8_t {
    number,
    command, // once the command or the end of the cycle is known
    facts,
    result, // where the result of the cycle is shown
    late,   // the same, but not in one pass
};

struct ColumnField {
    Field field{};
    ItemKind kind{};
    Part part{};
    const Column *column = nullptr;
};
// In the order in which they are shown.
std::span<const ColumnField> column_fields(Subtree);

// Registers all of the above and the expert infos.
void register_fields(int protocol);

// How much of a warning a lost time is. Null: too short for one.
expert_field *expert_of_gap(GapKind, Duration);
expert_field *expert_of_outcome();
expert_field *expert_of_event();
expert_field *expert_of_digest();
// By lost time; what is no problem is a note at most.
expert_field *expert_of_finding(const Finding &);

} // namespace iscsiscope::plugin
