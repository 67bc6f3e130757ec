// SPDX-License-Identifier: GPL-2.0-or-later
#include "iscsi/dialogue.h"

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/text/text_keys.h"

using namespace iscsiscope;

namespace {

std::uint32_t below(std::mt19937 &random, std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
}

} // namespace

LoginRequest only_login_request(std::uint32_t cmd_sn) {
    LoginRequest request;
    request.transit = true;
    request.current_stage = LoginStage::operational;
    request.next_stage = LoginStage::full_feature;
    request.initiator_task_tag = InitiatorTaskTag{1};
    request.cid = 1;
    request.cmd_sn = CmdSn{cmd_sn};
    return request;
}

LoginResponse only_login_response(std::uint32_t stat_sn, std::uint32_t cmd_sn) {
    LoginResponse response;
    response.transit = true;
    response.current_stage = LoginStage::operational;
    response.next_stage = LoginStage::full_feature;
    response.tsih = 1;
    response.initiator_task_tag = InitiatorTaskTag{1};
    response.stat_sn = StatSn{stat_sn};
    response.exp_cmd_sn = CmdSn{cmd_sn};
    response.max_cmd_sn = CmdSn{cmd_sn + 32};
    return response;
}

Dialogue::Dialogue(const DialogueOptions &options, std::mt19937 &random) {
    log_in(options);
    digests_ = {.header = options.header_digest, .data = options.data_digest};
    for (int i = 0; i < options.tasks; ++i) {
        const auto itt = static_cast<std::uint32_t>(0x1000 + i);
        if (random() % 2 == 0)
            read(itt, random, options.largest_data);
        else
            write(itt, random, options.largest_data);
    }
}

void Dialogue::put(int side, const HeaderBytes &header, std::span<const std::byte> data) {
    const FramedPdu framed{header, data, digests_};
    auto &stream = streams_[side];
    Placed placed{.opcode = HeaderView{header}.opcode(),
                  .begin = stream.size(),
                  .end = stream.size() + framed.size(),
                  .header_end = stream.size() + basic_header_size + (digests_.header ? digest_size : 0),
                  .data_length = static_cast<std::uint32_t>(data.size())};
    for (const auto &part : framed.parts())
        stream.insert(stream.end(), part.begin(), part.end());
    pdus_[side].push_back(placed);
}

void Dialogue::log_in(const DialogueOptions &options) {
    const LoginRequest request = only_login_request(cmd_sn_);
    std::vector<KeyValue> keys{{"InitiatorName", "iqn.2026-11.example:i"},
                               {"TargetName", "iqn.2026-11.example:t"},
                               {"HeaderDigest", options.header_digest ? "CRC32C,None" : "None"},
                               {"DataDigest", options.data_digest ? "CRC32C,None" : "None"}};
    put(0, request.encode(), build_text(keys));
    const LoginResponse response = only_login_response(stat_sn_++, cmd_sn_);
    keys = {{"TargetPortalGroupTag", "1"}};
    if (!options.target_leaves_digests_out) {
        keys.push_back({"HeaderDigest", options.header_digest ? "CRC32C" : "None"});
        keys.push_back({"DataDigest", options.data_digest ? "CRC32C" : "None"});
    }
    put(1, response.encode(), build_text(keys));
    login_end_[0] = streams_[0].size();
    login_end_[1] = streams_[1].size();
}

// Data that is hard on a search: random bytes, zeros, and copies of this session's own headers.
std::vector<std::byte> Dialogue::payload(std::size_t size, std::mt19937 &random) const {
    std::vector<std::byte> out(size);
    const auto kind = random() % 3;
    if (kind == 0)
        for (std::byte &b : out)
            b = static_cast<std::byte>(random());
    else if (kind == 1 && !streams_[1].empty())
        for (std::size_t i = 0; i < size; ++i)
            out[i] = static_cast<std::byte>(i % 7);
    return out;
}

void Dialogue::read(std::uint32_t itt, std::mt19937 &random, std::uint32_t largest) {
    const std::uint32_t pdus = below(random, 3) + 1;
    std::vector<std::uint32_t> sizes(pdus);
    std::uint32_t total = 0;
    for (std::uint32_t &s : sizes)
        total += s = below(random, largest) + 1;
    ScsiCommand command;
    command.read = true;
    command.initiator_task_tag = InitiatorTaskTag{itt};
    command.expected_data_transfer_length = total;
    command.cmd_sn = CmdSn{cmd_sn_++};
    command.exp_stat_sn = StatSn{stat_sn_};
    command.cdb[0] = std::byte{0x28};
    put(0, command.encode(), {});
    std::uint32_t offset = 0;
    const bool collapse = random() % 2 == 0;
    for (std::uint32_t i = 0; i < pdus; ++i) {
        DataIn data;
        data.final = i + 1 == pdus;
        data.has_status = data.final && collapse;
        data.initiator_task_tag = InitiatorTaskTag{itt};
        if (data.has_status)
            data.stat_sn = StatSn{stat_sn_++};
        data.exp_cmd_sn = CmdSn{cmd_sn_};
        data.max_cmd_sn = CmdSn{cmd_sn_ + 32};
        data.data_sn = DataSn{i};
        data.buffer_offset = offset;
        put(1, data.encode(), payload(sizes[i], random));
        offset += sizes[i];
    }
    if (collapse)
        return;
    ScsiResponse response;
    response.initiator_task_tag = InitiatorTaskTag{itt};
    response.stat_sn = StatSn{stat_sn_++};
    response.exp_cmd_sn = CmdSn{cmd_sn_};
    response.max_cmd_sn = CmdSn{cmd_sn_ + 32};
    put(1, response.encode(), {});
}

void Dialogue::write(std::uint32_t itt, std::mt19937 &random, std::uint32_t largest) {
    const std::uint32_t immediate = below(random, 2) == 0 ? below(random, largest) : 0;
    const std::uint32_t solicited = below(random, largest) + 1;
    ScsiCommand command;
    command.write = true;
    command.initiator_task_tag = InitiatorTaskTag{itt};
    command.expected_data_transfer_length = immediate + solicited;
    command.cmd_sn = CmdSn{cmd_sn_++};
    command.exp_stat_sn = StatSn{stat_sn_};
    command.cdb[0] = std::byte{0x2a};
    put(0, command.encode(), payload(immediate, random));
    R2t r2t;
    r2t.initiator_task_tag = InitiatorTaskTag{itt};
    r2t.target_transfer_tag = TargetTransferTag{itt};
    r2t.stat_sn = StatSn{stat_sn_};
    r2t.exp_cmd_sn = CmdSn{cmd_sn_};
    r2t.max_cmd_sn = CmdSn{cmd_sn_ + 32};
    r2t.buffer_offset = immediate;
    r2t.desired_data_transfer_length = solicited;
    put(1, r2t.encode(), {});
    DataOut data;
    data.final = true;
    data.initiator_task_tag = InitiatorTaskTag{itt};
    data.target_transfer_tag = TargetTransferTag{itt};
    data.exp_stat_sn = StatSn{stat_sn_};
    data.buffer_offset = immediate;
    put(0, data.encode(), payload(solicited, random));
    ScsiResponse response;
    response.initiator_task_tag = InitiatorTaskTag{itt};
    response.stat_sn = StatSn{stat_sn_++};
    response.exp_cmd_sn = CmdSn{cmd_sn_};
    response.max_cmd_sn = CmdSn{cmd_sn_ + 32};
    put(1, response.encode(), {});
}
