// SPDX-License-Identifier: GPL-2.0-or-later
// Fields, subtrees and expert infos that the plugin registers with Wireshark. All live until the program
// ends.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/findings/finding.h"
#include "analyzer/query/column.h"
#include "plugin/compat/wireshark_versions.h"

#include <cstdint>
#include <span>

namespace iscsiscope::plugin {

// Fields that show no column of the rows (field_table.h). Fields of columns are numbered after these.
enum class Field : std::uint8_t {
    cycle,
    cycle_role,
    cycle_inferred,
    cycle_phases,
    inferred,
    inferred_pdus,
    inferred_opcode,
    inferred_frame,
    burst,
    gap,
    gap_proof,
    gap_proof_frame,
    ledger,
    ledger_trouble,
    tcp,
    event,
    anomaly,
    finding,
    finding_title,
    finding_sentence,
    finding_remedy,
    finding_frame,
    count,
};

// Returns the id that Wireshark gave the field.
int hf(Field);

enum class Subtree : std::uint8_t {
    protocol,
    cycle,
    phases,
    inferred,
    burst,
    gap,
    ledger,
    tcp,
    finding,
    count
};
// Returns the id that Wireshark gave the subtree.
gint ett(Subtree);

enum class ItemKind : std::uint8_t {
    subtree,
    end_of_subtree,
    flag,
    number,
    big_number,
    text,
    share,
    time,
    expert
};

// Groups of fields within a subtree, in the order in which they are shown.
enum class Part : std::uint8_t {
    number,
    command, // shown once the command or the end of the cycle is known
    facts,
    result, // shown once, where the result of the cycle or burst is shown
    phase,  // as result, in a subtree of its own, and only those that took time
    late,   // as result, but only when the frames are read a second time
};

struct ColumnField {
    Field field{};
    ItemKind kind{};
    Part part{};
    const Column *column = nullptr;
};
// Returns the fields that show columns, in the order in which they are shown.
std::span<const ColumnField> column_fields(Subtree);

// Registers all of the above and the expert infos.
void register_fields(int protocol);

// Expert infos. Wireshark counts them by their text, which states the kind. A finding has the severity of the
// report, and a gap that of the finding that may claim its time; null: the gap is ordinary.
expert_field *expert_of_gap(const GapRecord &, const Finding *);
expert_field *expert_of_finding(const Finding &);
expert_field *expert_of_outcome();
expert_field *expert_of_inferred();
expert_field *expert_of_event();
expert_field *expert_of_digest();
expert_field *expert_of_unread(); // a frame or connection of which no PDU could be read

} // namespace iscsiscope::plugin
