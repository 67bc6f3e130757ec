// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/text_pdus.h"

#include "analyzer/iscsi/codec/header_builder.h"

namespace iscsiscope {
namespace {

// Sections 11.10.2 and 11.11.2: a text that continues cannot be final.
bool valid(HeaderView h) {
    return h.total_ahs_length() == 0 && !(h.final() && h.continue_bit()) &&
           h.initiator_task_tag() != InitiatorTaskTag::reserved;
}

template <class Text>
void take_text_fields(Text &t, HeaderView h) {
    t.final = h.final();
    t.continued = h.continue_bit();
    t.data_segment_length = h.data_segment_length();
    t.lun = h.lun();
    t.initiator_task_tag = h.initiator_task_tag();
    t.target_transfer_tag = h.target_transfer_tag();
}

template <class Text>
void put_text_fields(HeaderBuilder &b, const Text &t) {
    b.flag(0x80, t.final).flag(0x40, t.continued).data_segment_length(t.data_segment_length).lun(t.lun);
    b.initiator_task_tag(t.initiator_task_tag).target_transfer_tag(t.target_transfer_tag);
}

} // namespace

std::optional<TextRequest> TextRequest::parse(HeaderView h) {
    if (h.opcode() != Opcode::text_request || !valid(h))
        return std::nullopt;
    TextRequest t;
    take_text_fields(t, h);
    t.immediate = h.immediate();
    t.cmd_sn = h.cmd_sn();
    t.exp_stat_sn = h.exp_stat_sn();
    return t;
}

HeaderBytes TextRequest::encode() const {
    HeaderBuilder b(Opcode::text_request, immediate);
    put_text_fields(b, *this);
    b.request_numbers(cmd_sn, exp_stat_sn);
    return b.bytes();
}

std::optional<TextResponse> TextResponse::parse(HeaderView h) {
    if (h.opcode() != Opcode::text_response || !valid(h))
        return std::nullopt;
    TextResponse t;
    take_text_fields(t, h);
    t.stat_sn = h.stat_sn();
    t.exp_cmd_sn = h.exp_cmd_sn();
    t.max_cmd_sn = h.max_cmd_sn();
    return t;
}

HeaderBytes TextResponse::encode() const {
    HeaderBuilder b(Opcode::text_response);
    put_text_fields(b, *this);
    b.response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    return b.bytes();
}

} // namespace iscsiscope
