// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/forecast.h"

#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <array>
#include <utility>

namespace iscsiscope {

namespace {

namespace hf = header_field;

// Of tasks that are in the same state so many are looked at, the oldest first: targets answer roughly in
// order.
constexpr std::size_t max_alike = 4, max_alike_in_order = 2;

constexpr std::uint8_t final_bit = 0x80, status_bit = 0x01;

PredictedHeader header_of(Opcode opcode, std::uint8_t flags, std::uint32_t length, std::uint32_t itt) {
    PredictedHeader p;
    wire::store8(p.header.data(), static_cast<std::uint8_t>(opcode));
    wire::store8(p.header.data() + 1, flags);
    wire::store24(p.header.data() + 5, length);
    wire::store32(p.header.data() + hf::initiator_task_tag.at, itt);
    p.known = hf::extent.mask() | hf::initiator_task_tag.mask();
    return p;
}

void set(PredictedHeader &p, HeaderField f, std::uint32_t value) {
    wire::store32(p.header.data() + f.at, value);
    p.known |= f.mask();
}

void set_lun(PredictedHeader &p, std::uint64_t lun) {
    wire::store32(p.header.data() + hf::lun.at, static_cast<std::uint32_t>(lun >> 32));
    wire::store32(p.header.data() + hf::lun.at + 4, static_cast<std::uint32_t>(lun));
    p.known |= hf::lun.mask();
}

void add_data_in(const LedgerState &state, const TaskProgress &task, std::vector<PredictedHeader> &out) {
    if (!task.sure || !task.more_data_in())
        return;
    const std::uint32_t left = *task.expected - task.in_bytes;
    const std::uint32_t burst = state.lengths.read_burst();
    const bool in_burst = burst != 0 && task.in_sequence < burst;
    const std::uint32_t length =
        state.lengths.next_data_in(in_burst ? std::min(left, burst - task.in_sequence) : left);
    if (length == 0)
        return;
    const bool ends_burst = in_burst && task.in_sequence + length == burst;
    const bool last = length == left;
    for (const bool with_status : {true, false}) {
        if (with_status && (!last || state.target.status_with_data() == false))
            continue;
        if (!with_status && last && state.target.status_with_data() == true)
            continue;
        const auto flags =
            static_cast<std::uint8_t>((last || ends_burst ? final_bit : 0) | (with_status ? status_bit : 0));
        PredictedHeader p = header_of(Opcode::data_in, flags, length, task.itt);
        set(p, hf::data_sn, task.in_pdus);
        set(p, hf::buffer_offset, task.in_bytes);
        if (with_status) {
            set(p, hf::residual_count, 0);
            if (const auto status = state.statuses.next())
                set(p, hf::stat_sn, *status);
        }
        out.push_back(p);
    }
}

void add_response(const LedgerState &state, const TaskProgress &task, std::vector<PredictedHeader> &out) {
    PredictedHeader p = header_of(Opcode::scsi_response, final_bit, 0, task.itt);
    set(p, hf::residual_count, 0);
    if (const auto status = state.statuses.next())
        set(p, hf::stat_sn, *status);
    out.push_back(p);
}

void add_r2t(const LedgerState &state, const TaskProgress &task, std::vector<PredictedHeader> &out) {
    if (task.asks_unknown_length())
        return; // how much the R2T before asks for is not known
    PredictedHeader p = header_of(Opcode::r2t, final_bit, 0, task.itt);
    set_lun(p, task.lun);
    if (!task.sure) {
        out.push_back(p);
        return;
    }
    set(p, hf::data_sn, task.r2ts);
    set(p, hf::buffer_offset, task.asked_to);
    if (const std::uint32_t burst = state.lengths.write_burst(); burst != 0)
        set(p, hf::desired_length, std::min(burst, *task.expected - task.asked_to));
    out.push_back(p);
}

// The answer to a command without a tag: a response, all the data of a read like the one before, or an R2T.
void add_tagless_answer(const LedgerState &state, const TaskProgress &task,
                        std::vector<PredictedHeader> &out) {
    const HeaderMask without_tag = ~hf::initiator_task_tag.mask();
    PredictedHeader response = header_of(Opcode::scsi_response, final_bit, 0, 0);
    set(response, hf::residual_count, 0);
    std::vector<PredictedHeader> both{response};
    const std::uint32_t bytes = state.initiator.latest_read();
    if (task.out_bytes == 0 && bytes != 0 && state.lengths.next_data_in(bytes) == bytes &&
        state.target.status_with_data() == true) {
        both.push_back(header_of(Opcode::data_in, final_bit | status_bit, bytes, 0));
        set(both.back(), hf::data_sn, 0);
        set(both.back(), hf::buffer_offset, 0);
        set(both.back(), hf::residual_count, 0);
    }
    if (both.size() > 1) // data are likelier than none
        std::swap(both[0], both[1]);
    if (state.may_ask_unknown())
        both.push_back(header_of(Opcode::r2t, final_bit, 0, 0));
    for (PredictedHeader &p : both) {
        p.known &= without_tag;
        if (const auto status = state.statuses.next(); status && HeaderView{p.header}.consumes_stat_sn())
            set(p, hf::stat_sn, *status);
        out.push_back(p);
    }
}

// What the target can send about a task.
void add_answer(const LedgerState &state, const TaskProgress &task, std::uint64_t received,
                std::vector<PredictedHeader> &out) {
    if (task.command > received)
        return;
    if (task.tagless)
        add_tagless_answer(state, task, out);
    if (task.tagless)
        return;
    if (!task.has_command || !task.expected) {
        if (task.in_pdus > 0 && task.in_sequence == 0) // all of its data may have come
            add_response(state, task, out);
        return;
    }
    const bool reads = task.reads && !task.writes, writes = task.writes && !task.reads;
    if (reads && task.in_bytes < *task.expected)
        add_data_in(state, task, out);
    if (writes && (task.asked_to < *task.expected || !task.sure))
        add_r2t(state, task, out);
    const bool whole = reads ? task.in_bytes >= *task.expected
                             : !writes || (task.out_bytes >= *task.expected && task.data_out <= received) ||
                                   state.missed.withheld().data;
    if (whole || !task.sure)
        add_response(state, task, out);
}

void add_data_out(const LedgerState &state, const TaskProgress &task, const DataBurst &burst,
                  std::vector<PredictedHeader> &out) {
    if (!burst.length || burst.sent >= *burst.length)
        return;
    const std::uint32_t length = state.lengths.next_data_out(*burst.length - burst.sent);
    if (length == 0)
        return;
    const bool last = burst.sent + length == *burst.length;
    PredictedHeader p = header_of(Opcode::data_out, last ? final_bit : 0, length, task.itt);
    set_lun(p, task.lun);
    if (burst.ttt)
        set(p, hf::target_transfer_tag, *burst.ttt);
    set(p, hf::data_sn, burst.next_data_sn);
    set(p, hf::buffer_offset, burst.offset + burst.sent);
    out.push_back(p);
}

// R2Ts are answered in the order in which they came, as far as that is known; else the oldest two are looked
// at.
void add_bursts(const LedgerState &state, std::uint64_t received, std::vector<PredictedHeader> &out) {
    std::vector<std::pair<const TaskProgress *, const DataBurst *>> waiting;
    for (const TaskProgress &task : state.tasks.all())
        for (const DataBurst &burst : task.bursts)
            if (burst.asked <= received)
                waiting.emplace_back(&task, &burst);
    std::sort(waiting.begin(), waiting.end(),
              [](const auto &a, const auto &b) { return a.second->serial < b.second->serial; });
    const std::size_t most = state.initiator.bursts_surely_in_order() ? 1 : 2;
    for (std::size_t i = 0; i < std::min(waiting.size(), most); ++i)
        add_data_out(state, *waiting[i].first, *waiting[i].second, out);
}

// What the target can send about the tasks of which the answer may be among PDUs that were not found, or
// about the others.
void add_answers(const LedgerState &state, bool doubtful, std::uint64_t received,
                 std::vector<PredictedHeader> &out) {
    const std::size_t most = state.target.answers_in_order() ? max_alike_in_order : max_alike;
    std::array<std::size_t, 64> alike{};
    for (const TaskProgress &task : state.tasks.all()) {
        if (task.doubtful != doubtful)
            continue;
        const auto before = static_cast<std::ptrdiff_t>(out.size());
        add_answer(state, task, received, out);
        std::array<bool, 64> counted{};
        out.erase(std::remove_if(out.begin() + before, out.end(),
                                 [&](const PredictedHeader &p) {
                                     const auto o = static_cast<std::size_t>(HeaderView{p.header}.opcode());
                                     alike[o] += counted[o] ? 0 : 1;
                                     counted[o] = true;
                                     return alike[o] > most;
                                 }),
                  out.end());
    }
}

// A command of which nothing is known but its length: without data, or with as much immediate data as the one
// before.
void add_command(const LedgerState &state, std::uint32_t data, std::vector<PredictedHeader> &out) {
    PredictedHeader p = header_of(Opcode::scsi_command, 0, data, 0);
    p.known = (hf::extent.mask() & ~HeaderField{1, 1}.mask());
    if (const auto number = state.commands.next())
        set(p, hf::cmd_sn, *number);
    out.push_back(p);
}

// The answer to a ping of the target, without data as all known ones.
void add_pong(std::uint32_t ttt, std::vector<PredictedHeader> &out) {
    constexpr std::uint8_t immediate = 0x40;
    PredictedHeader p =
        header_of(Opcode::nop_out, final_bit, 0, static_cast<std::uint32_t>(InitiatorTaskTag::reserved));
    wire::store8(p.header.data(), static_cast<std::uint8_t>(Opcode::nop_out) | immediate);
    set(p, hf::target_transfer_tag, ttt);
    out.push_back(p);
}

} // namespace

bool PredictedHeader::agrees(const Pdu &pdu) const {
    const HeaderMask both = known & pdu.in_file;
    for (std::size_t i = 0; i < basic_header_size; ++i)
        if ((both >> i & 1) != 0 && header[i] != pdu.header[i])
            return false;
    return true;
}

bool forecast(const LedgerState &state, PduDirection direction, std::uint64_t received,
              std::vector<PredictedHeader> &out) {
    if (state.order.unknown())
        return false;
    const bool to_target = direction == PduDirection::to_target;
    // A sequence of data PDUs that has begun goes on to its F bit.
    if (const auto itt = to_target ? state.sequences.sending() : state.sequences.receiving()) {
        if (const TaskProgress *task = state.tasks.find(*itt)) {
            if (!to_target)
                add_data_in(state, *task, out);
            else if (!task->bursts.empty())
                add_data_out(state, *task, task->bursts.front(), out);
            return !out.empty();
        }
    }
    if (to_target) {
        if (const auto ttt = state.ping.unanswered(); ttt && state.ping.asked() <= received)
            add_pong(*ttt, out);
        add_bursts(state, received, out);
        const auto data = state.initiator.immediate_data();
        if (state.commands.window_open()) {
            const bool with_data = data && *data != 0;
            if (with_data)
                add_command(state, *data, out);
            if (!with_data || (state.initiator.may_lack_data() && !state.initiator.many_without_data()))
                add_command(state, 0, out);
            if (with_data && state.initiator.may_lack_data() && state.initiator.many_without_data())
                return false;
        }
        return data && !may_owe_data(state);
    }
    add_answers(state, false, received, out);
    add_answers(state, true, received, out);
    if (state.unknown_commands() > 0 && state.tasks.tagless_count() == 0)
        add_tagless_answer(state, TaskProgress{}, out);
    return true;
}

bool can_answer(const LedgerState &state, const TaskProgress &task, const Pdu &pdu) {
    std::vector<PredictedHeader> can;
    add_answer(state, task, unknown_offset, can);
    return std::any_of(can.begin(), can.end(), [&](const PredictedHeader &p) { return p.agrees(pdu); });
}

} // namespace iscsiscope
