// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/login_pdus.h"

#include "analyzer/iscsi/codec/header_builder.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// RFC 7143 sections 11.12.1 to 11.12.3: T excludes C, stage 2 does not exist, and T leads to a later stage.
bool valid_stages(std::uint8_t flags) {
    const bool transit = (flags & 0x80) != 0, continued = (flags & 0x40) != 0;
    const int current = (flags >> 2) & 3, next = flags & 3;
    if (current > 1 || (transit && continued))
        return false;
    return !transit || (next != 2 && next > current);
}

std::uint8_t stage_bits(LoginStage current, LoginStage next) {
    return static_cast<std::uint8_t>((static_cast<unsigned>(current) << 2) | static_cast<unsigned>(next));
}

template <class Login>
void take_login_fields(Login &l, HeaderView h) {
    l.transit = h.final();
    l.continued = h.continue_bit();
    l.current_stage = static_cast<LoginStage>((h.flags() >> 2) & 3);
    // Without T the next stage is reserved.
    l.next_stage = l.transit ? static_cast<LoginStage>(h.flags() & 3) : LoginStage::security;
    l.version_max = wire::load8(h.bytes().data() + 2);
    l.data_segment_length = h.data_segment_length();
    std::ranges::copy(h.bytes().subspan<8, 6>(), l.isid.begin());
    l.tsih = h.tsih();
    l.initiator_task_tag = h.initiator_task_tag();
}

template <class Login>
void put_login_fields(HeaderBuilder &b, const Login &l) {
    b.flag(0x80, l.transit).flag(0x40, l.continued);
    b.flag(stage_bits(l.current_stage, l.transit ? l.next_stage : LoginStage::security));
    b.u8(2, l.version_max).data_segment_length(l.data_segment_length);
    std::ranges::copy(l.isid, b.bytes().begin() + 8);
    b.u16(14, l.tsih).initiator_task_tag(l.initiator_task_tag);
}

} // namespace

std::optional<LoginRequest> LoginRequest::parse(HeaderView h) {
    // Section 11.12: a login request is always immediate.
    if (h.opcode() != Opcode::login_request || !h.immediate() || h.total_ahs_length() != 0 ||
        !valid_stages(h.flags()))
        return std::nullopt;
    LoginRequest r;
    take_login_fields(r, h);
    r.version_min = wire::load8(h.bytes().data() + 3);
    r.cid = h.cid();
    r.cmd_sn = h.cmd_sn();
    r.exp_stat_sn = h.exp_stat_sn();
    return r;
}

HeaderBytes LoginRequest::encode() const {
    HeaderBuilder b(Opcode::login_request, true);
    put_login_fields(b, *this);
    b.u8(3, version_min).u16(20, cid).request_numbers(cmd_sn, exp_stat_sn);
    return b.bytes();
}

std::optional<LoginResponse> LoginResponse::parse(HeaderView h) {
    // A refusal (status class not 0) has no meaningful stages.
    if (h.opcode() != Opcode::login_response || h.total_ahs_length() != 0 ||
        (h.login_status_class() == 0 && !valid_stages(h.flags())))
        return std::nullopt;
    LoginResponse r;
    take_login_fields(r, h);
    r.version_active = wire::load8(h.bytes().data() + 3);
    r.stat_sn = h.stat_sn();
    r.exp_cmd_sn = h.exp_cmd_sn();
    r.max_cmd_sn = h.max_cmd_sn();
    r.status_class = h.login_status_class();
    r.status_detail = h.login_status_detail();
    return r;
}

HeaderBytes LoginResponse::encode() const {
    HeaderBuilder b(Opcode::login_response);
    put_login_fields(b, *this);
    b.u8(3, version_active).response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    b.u8(36, status_class).u8(37, status_detail);
    return b.bytes();
}

} // namespace iscsiscope
