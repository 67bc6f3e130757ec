// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/command_names.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope {

namespace {

using namespace header_field;

constexpr std::size_t max_waiting_commands = 256;
constexpr HeaderField command_flags{1, 1};

void keep(std::vector<Pdu> &list, const Pdu &pdu) {
    if (list.size() >= max_waiting_commands)
        list.erase(list.begin());
    list.push_back(pdu);
    list.back().data = list.back().ahs = {};
}

bool answers_a_command(Opcode o) {
    return o == Opcode::data_in || o == Opcode::r2t || o == Opcode::scsi_response;
}

} // namespace

bool CommandNames::fits(const Pdu &command, const Pdu &answer) {
    return answer.first_seen >= command.first_seen &&
           (command.data_length == 0 || answer.view().opcode() != Opcode::data_in);
}

Pdu CommandNames::named(const Pdu &command, const Pdu &answer, const LedgerState &state) {
    Pdu out = command;
    out.inferred = true;
    const HeaderView a = answer.view();
    std::copy_n(answer.header.begin() + initiator_task_tag.at, initiator_task_tag.size,
                out.header.begin() + initiator_task_tag.at);
    out.known |= initiator_task_tag.mask();
    if (!command_flags.in(out.known)) { // which way the data go
        const bool reads = a.opcode() == Opcode::data_in;
        const bool writes = a.opcode() == Opcode::r2t || command.data_length > 0;
        wire::store8(out.header.data() + command_flags.at,
                     static_cast<std::uint8_t>(0x80 | (reads ? 0x40 : 0) | (writes ? 0x20 : 0)));
        out.known |= command_flags.mask();
    }
    if (!lun.in(out.known)) { // an R2T has the LUN (RFC 7143 section 11.8); else that of the commands before
        wire::store64(out.header.data() + lun.at, a.opcode() == Opcode::r2t && lun.in(answer.known)
                                                      ? static_cast<std::uint64_t>(a.lun())
                                                      : state.initiator.latest_lun());
        out.known |= lun.mask();
    }
    return out;
}

std::optional<Pdu> CommandNames::command(const Pdu &pdu, const LedgerState &state) {
    const auto found =
        std::find_if(answers_.begin(), answers_.end(), [&](const Pdu &answer) { return fits(pdu, answer); });
    if (found == answers_.end()) {
        keep(commands_, pdu);
        return std::nullopt;
    }
    Pdu out = named(pdu, *found, state);
    answers_.erase(found);
    return out;
}

std::optional<Pdu> CommandNames::pair(Pdu &answer, const LedgerState &state) {
    const HeaderView a = answer.view();
    const bool ends_it =
        a.opcode() == Opcode::scsi_response || (a.opcode() == Opcode::data_in && a.status_bit());
    if (!ends_it || answer.knows(initiator_task_tag))
        return std::nullopt;
    const auto found = std::find_if(commands_.begin(), commands_.end(),
                                    [&](const Pdu &command) { return fits(command, answer); });
    if (found == commands_.end())
        return std::nullopt;
    std::uint32_t tag = 0;
    do // initiators count up from zero, or use indexes: these are the last they come to
        tag = 0xfffffffe - stand_ins_++ % 0xffff;
    while (state.tasks.find(tag) != nullptr);
    wire::store32(answer.header.data() + initiator_task_tag.at, tag);
    answer.known |= initiator_task_tag.mask();
    answer.inferred = answer.tag_stands_in = true;
    Pdu out = named(*found, answer, state);
    out.tag_stands_in = true;
    commands_.erase(found);
    return out;
}

std::optional<Pdu> CommandNames::answer(const Pdu &pdu, const LedgerState &state) {
    const HeaderView h = pdu.view();
    if (!answers_a_command(h.opcode()) || !pdu.knows(initiator_task_tag))
        return std::nullopt;
    const auto same_task = [&](const Pdu &p) {
        return p.view().initiator_task_tag() == h.initiator_task_tag();
    };
    const auto *task = state.tasks.find(static_cast<std::uint32_t>(h.initiator_task_tag()));
    if (task != nullptr && (task->has_command || std::any_of(answers_.begin(), answers_.end(), same_task)))
        return std::nullopt;
    const auto found = std::find_if(commands_.begin(), commands_.end(),
                                    [&](const Pdu &command) { return fits(command, pdu); });
    if (found == commands_.end()) {
        keep(answers_, pdu);
        return std::nullopt;
    }
    Pdu out = named(*found, pdu, state);
    commands_.erase(found);
    return out;
}

} // namespace iscsiscope
