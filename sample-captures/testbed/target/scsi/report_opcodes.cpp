// SPDX-License-Identifier: GPL-2.0-or-later
// REPORT SUPPORTED OPERATION CODES (SPC-4 section 6.35), from the command table itself.
#include "sample-captures/testbed/target/scsi/commands.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope::testbed {
namespace {

using Bytes = std::vector<std::byte>;

// Command timeouts descriptor: no timeout is stated (all zero).
void append_timeouts(Bytes &out) {
    const std::size_t at = out.size();
    out.resize(at + 12);
    wire::store16(&out[at], 10);
}

Bytes all_commands(bool timeouts) {
    Bytes out(4);
    for (const CommandEntry &e : command_table()) {
        const std::size_t at = out.size();
        out.resize(at + 8);
        wire::store8(&out[at], e.opcode);
        wire::store16(&out[at + 2], static_cast<std::uint16_t>(std::max(e.service_action, 0)));
        wire::store8(&out[at + 5],
                     static_cast<std::uint8_t>((timeouts ? 0x02 : 0) | (e.service_action >= 0 ? 0x01 : 0)));
        wire::store16(&out[at + 6], e.length);
        if (timeouts)
            append_timeouts(out);
    }
    wire::store32(&out[0], static_cast<std::uint32_t>(out.size() - 4));
    return out;
}

Bytes one_command(const CommandEntry *entry, bool timeouts) {
    Bytes out(4);
    if (entry == nullptr) {
        wire::store8(&out[1], 0x01); // not supported
        return out;
    }
    wire::store8(&out[1], static_cast<std::uint8_t>((timeouts ? 0x80 : 0) | 0x03)); // as the standard says
    wire::store16(&out[2], entry->length);
    for (std::size_t i = 0; i < entry->length; ++i)
        out.push_back(std::byte{entry->usage[i]});
    if (entry->service_action >= 0) { // the usage data shows the service action itself
        const auto mask = entry->usage[1] & 0xe0;
        wire::store8(&out[5], static_cast<std::uint8_t>(mask | entry->service_action));
    }
    if (timeouts)
        append_timeouts(out);
    return out;
}

} // namespace

ScsiResult report_supported_opcodes(Disk &, const ScsiRequest &r) {
    const bool timeouts = (wire::load8(&r.cdb[2]) & 0x80) != 0; // RCTD
    const unsigned options = wire::load8(&r.cdb[2]) & 7u;
    const std::uint8_t opcode = wire::load8(&r.cdb[3]);
    const std::uint16_t action = wire::load16(&r.cdb[4]);
    const std::uint32_t allocation = wire::load32(&r.cdb[6]);
    if (options == 0)
        return reply(all_commands(timeouts), allocation);
    if (options > 3)
        return ScsiResult::check(sense::invalid_field_in_cdb);

    const CommandEntry *found = nullptr;
    bool has_actions = false;
    for (const CommandEntry &e : command_table()) {
        if (e.opcode != opcode)
            continue;
        has_actions = e.service_action >= 0;
        if (!has_actions || e.service_action == int{action})
            found = &e;
    }
    // 001b: the opcode must have no service actions; 010b: it must have some; 011b: either.
    if ((options == 1 && has_actions) || (options == 2 && found != nullptr && !has_actions))
        return ScsiResult::check(sense::invalid_field_in_cdb);
    return reply(one_command(found, timeouts), allocation);
}

} // namespace iscsiscope::testbed
