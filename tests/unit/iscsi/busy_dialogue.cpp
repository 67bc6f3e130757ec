// SPDX-License-Identifier: GPL-2.0-or-later
#include "iscsi/busy_dialogue.h"

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/text/text_keys.h"

#include <algorithm>
#include <string>

using namespace iscsiscope;

namespace {

std::string number(std::uint32_t n) {
    return std::to_string(n);
}

template <typename T>
T one_of(std::mt19937 &random, std::initializer_list<T> values) {
    return *(values.begin() + random() % values.size());
}

} // namespace

BusyOptions random_busy_options(std::mt19937 &random) {
    BusyOptions o;
    o.header_digest = random() % 4 == 0;
    o.data_digest = random() % 4 == 0;
    o.data_in = one_of<std::uint32_t>(random, {4096, 8192, 65536});
    o.data_out = one_of<std::uint32_t>(random, {4096, 8192, 65536});
    o.burst = one_of<std::uint32_t>(random, {16384, 65536});
    o.immediate = std::min(o.data_out, one_of<std::uint32_t>(random, {0, 4096, 65536}));
    o.block = one_of<std::uint32_t>(random, {512, 4096});
    o.max_blocks = one_of<std::uint32_t>(random, {1, 8, 40});
    o.status_with_data = random() % 2 == 0;
    o.in_order = random() % 2 == 0;
    o.depth = one_of<std::size_t>(random, {1, 2, 4, 16});
    return o;
}

BusyDialogue::BusyDialogue(const BusyOptions &options, std::mt19937 &random) : options_(options) {
    log_in();
    digests_ = {.header = options.header_digest, .data = options.data_digest};
    while (begun_ < options.tasks || !tasks_.empty()) {
        answer_r2ts();
        const auto more = random() % (options.depth + 1);
        for (std::size_t i = 0; i < more && tasks_.size() < options.depth && begun_ < options.tasks; ++i)
            command(random);
        end_turn(0);
        const auto served = random() % (options.depth + 1);
        for (std::size_t i = 0; i < served && !tasks_.empty(); ++i)
            serve(options.in_order ? 0 : random() % tasks_.size());
        end_turn(1);
    }
}

void BusyDialogue::put(int side, const HeaderBytes &header, std::uint32_t data) {
    const std::vector<std::byte> bytes(data, std::byte{0x5a});
    put(side, header, bytes);
}

void BusyDialogue::put(int side, const HeaderBytes &header, std::span<const std::byte> data) {
    const FramedPdu framed{header, data, digests_};
    auto &stream = streams_[side];
    pdus_[side].push_back(
        {.opcode = HeaderView{header}.opcode(),
         .begin = stream.size(),
         .end = stream.size() + framed.size(),
         .header_end = stream.size() + basic_header_size + (digests_.header ? digest_size : 0),
         .data_length = static_cast<std::uint32_t>(data.size())});
    for (const auto &part : framed.parts())
        stream.insert(stream.end(), part.begin(), part.end());
}

void BusyDialogue::end_turn(int side) {
    std::uint64_t begin = 0;
    for (const Turn &t : turns_)
        begin = t.side == side ? t.end : begin;
    if (begin < streams_[side].size())
        turns_.push_back({side, begin, streams_[side].size()});
}

void BusyDialogue::log_in() {
    const LoginRequest request = only_login_request(cmd_sn_);
    const auto digest = [](bool on) { return on ? "CRC32C" : "None"; };
    const std::string in = number(options_.data_in), out = number(options_.data_out),
                      burst = number(options_.burst);
    std::vector<KeyValue> keys{{"InitiatorName", "iqn.2026-11.example:i"},
                               {"TargetName", "iqn.2026-11.example:t"},
                               {"HeaderDigest", digest(options_.header_digest)},
                               {"DataDigest", digest(options_.data_digest)},
                               {"InitialR2T", "Yes"},
                               {"MaxRecvDataSegmentLength", in},
                               {"MaxBurstLength", burst}};
    put(0, request.encode(), build_text(keys));
    end_turn(0);
    const LoginResponse response = only_login_response(stat_sn_++, cmd_sn_);
    keys = {{"TargetPortalGroupTag", "1"},
            {"HeaderDigest", digest(options_.header_digest)},
            {"DataDigest", digest(options_.data_digest)},
            {"InitialR2T", "Yes"},
            {"MaxRecvDataSegmentLength", out},
            {"MaxBurstLength", burst}};
    put(1, response.encode(), build_text(keys));
    end_turn(1);
    login_end_[0] = streams_[0].size();
    login_end_[1] = streams_[1].size();
}

void BusyDialogue::command(std::mt19937 &random) {
    Task task;
    task.itt = static_cast<std::uint32_t>(0x100 + begun_++);
    task.length = options_.block * (static_cast<std::uint32_t>(random() % options_.max_blocks) + 1);
    task.reads = random() % 2 == 0;
    ScsiCommand c;
    c.read = task.reads;
    c.write = !task.reads;
    c.initiator_task_tag = InitiatorTaskTag{task.itt};
    c.expected_data_transfer_length = task.length;
    c.cmd_sn = CmdSn{cmd_sn_++};
    c.exp_stat_sn = StatSn{stat_sn_};
    c.cdb[0] = std::byte{task.reads ? std::uint8_t{0x28} : std::uint8_t{0x2a}};
    task.moved = task.reads ? 0 : std::min(options_.immediate, task.length);
    put(0, c.encode(), task.moved);
    tasks_.push_back(task);
}

// All the data that R2Ts have asked for, in their order.
void BusyDialogue::answer_r2ts() {
    for (Task &task : tasks_) {
        if (!task.asked_at)
            continue;
        std::uint32_t left = *task.asked_bytes;
        for (std::uint32_t sn = 0; left > 0; ++sn) {
            const std::uint32_t now = std::min(left, options_.data_out);
            DataOut data;
            data.final = now == left;
            data.initiator_task_tag = InitiatorTaskTag{task.itt};
            data.target_transfer_tag = TargetTransferTag{task.itt};
            data.exp_stat_sn = StatSn{stat_sn_};
            data.data_sn = DataSn{sn};
            data.buffer_offset = task.moved;
            put(0, data.encode(), now);
            task.moved += now;
            left -= now;
        }
        task.asked_at.reset();
    }
}

// The target does one thing for a task: all the data of a read, an R2T, or the status.
void BusyDialogue::serve(std::size_t at) {
    Task &task = tasks_[at];
    if (task.asked_at)
        return; // it waits for data
    if (task.reads) {
        serve_read(task);
    } else if (task.moved < task.length) {
        R2t r2t;
        r2t.initiator_task_tag = InitiatorTaskTag{task.itt};
        r2t.target_transfer_tag = TargetTransferTag{task.itt};
        r2t.stat_sn = StatSn{stat_sn_};
        r2t.exp_cmd_sn = CmdSn{cmd_sn_};
        r2t.max_cmd_sn = CmdSn{cmd_sn_ + 32};
        r2t.r2t_sn = DataSn{task.r2ts++};
        r2t.buffer_offset = task.moved;
        r2t.desired_data_transfer_length = std::min(options_.burst, task.length - task.moved);
        task.asked_at = task.moved;
        task.asked_bytes = r2t.desired_data_transfer_length;
        put(1, r2t.encode(), std::uint32_t{0});
        return;
    } else {
        respond(task);
    }
    tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(at));
}

void BusyDialogue::serve_read(Task &task) {
    std::uint32_t in_burst = 0;
    for (std::uint32_t sn = 0; task.moved < task.length; ++sn) {
        const std::uint32_t now =
            std::min({task.length - task.moved, options_.data_in, options_.burst - in_burst});
        in_burst += now;
        DataIn data;
        data.final = task.moved + now == task.length || in_burst == options_.burst;
        data.has_status = task.moved + now == task.length && options_.status_with_data;
        data.initiator_task_tag = InitiatorTaskTag{task.itt};
        if (data.has_status)
            data.stat_sn = StatSn{stat_sn_++};
        data.exp_cmd_sn = CmdSn{cmd_sn_};
        data.max_cmd_sn = CmdSn{cmd_sn_ + 32};
        data.data_sn = DataSn{sn};
        data.buffer_offset = task.moved;
        put(1, data.encode(), now);
        task.moved += now;
        in_burst = data.final ? 0 : in_burst;
    }
    if (!options_.status_with_data)
        respond(task);
}

void BusyDialogue::respond(const Task &task) {
    ScsiResponse response;
    response.initiator_task_tag = InitiatorTaskTag{task.itt};
    response.stat_sn = StatSn{stat_sn_++};
    response.exp_cmd_sn = CmdSn{cmd_sn_};
    response.max_cmd_sn = CmdSn{cmd_sn_ + 32};
    put(1, response.encode(), std::uint32_t{0});
}
