// SPDX-License-Identifier: GPL-2.0-or-later
// Every PDU: what encode writes parse reads, for any field values that RFC 7143 allows; the header is
// plausible in its own direction and in no other.
#include "analyzer/iscsi/codec/ahs.h"
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/codec/pdu/plausible.h"
#include "catch.h"

#include <rapidcheck.h>

using namespace iscsiscope;

namespace {

template <class T>
T any() {
    return *rc::gen::resize(1000, rc::gen::arbitrary<T>());
}
std::uint32_t between(std::uint32_t low, std::uint32_t high) { // both included
    return *rc::gen::resize(1000, rc::gen::inRange<std::uint64_t>(low, std::uint64_t{high} + 1)) & 0xffffffff;
}
InitiatorTaskTag task_tag() {
    return InitiatorTaskTag{between(0, 0xfffffffe)};
}
TargetTransferTag transfer_tag() {
    return TargetTransferTag{any<std::uint32_t>()};
}
std::uint32_t data_length() {
    return between(0, max_data_segment_length);
}
Lun lun() {
    return Lun{std::uint64_t{between(0, 255)} << 48};
}
std::uint8_t status() {
    return *rc::gen::element<std::uint8_t>(0x00, 0x02, 0x04, 0x08, 0x18, 0x28, 0x30, 0x40);
}

template <class T>
void request_numbers(T &p) {
    p.cmd_sn = CmdSn{any<std::uint32_t>()};
    p.exp_stat_sn = StatSn{between(1, 0xffffffff)};
}
template <class T>
void response_numbers(T &p) {
    p.stat_sn = StatSn{between(1, 0xffffffff)};
    p.exp_cmd_sn = CmdSn{any<std::uint32_t>()};
    p.max_cmd_sn = p.exp_cmd_sn + between(0, 1024) - 1; // down to a closed window
}

void fill(ScsiCommand &p) {
    p.immediate = any<bool>();
    p.write = any<bool>();
    p.read = any<bool>();
    p.final = !p.write || any<bool>();
    p.attribute = static_cast<TaskAttribute>(between(0, 4));
    p.ahs_length = between(0, 64) * 4;
    p.expected_data_transfer_length = p.read || p.write ? any<std::uint32_t>() : 0;
    p.data_segment_length = p.write ? std::min(data_length(), p.expected_data_transfer_length) : 0;
    p.lun = lun();
    p.initiator_task_tag = task_tag();
    request_numbers(p);
    for (auto &b : p.cdb)
        b = static_cast<std::byte>(any<std::uint8_t>());
}
void fill(ScsiResponse &p) {
    const auto pair = between(0, 2), bidirectional = between(0, 2);
    p.overflow = pair == 1;
    p.underflow = pair == 2;
    p.bidirectional_overflow = bidirectional == 1;
    p.bidirectional_underflow = bidirectional == 2;
    p.response = static_cast<std::uint8_t>(between(0, 1));
    p.status = status();
    p.data_segment_length = data_length();
    p.initiator_task_tag = task_tag();
    p.snack_tag = any<std::uint32_t>();
    response_numbers(p);
    p.exp_data_sn = DataSn{any<std::uint32_t>()};
    p.bidirectional_residual_count = any<std::uint32_t>();
    p.residual_count = any<std::uint32_t>();
}
void fill(DataOut &p) {
    p.final = any<bool>();
    p.data_segment_length = between(1, max_data_segment_length);
    p.lun = lun();
    p.initiator_task_tag = task_tag();
    p.target_transfer_tag = transfer_tag();
    p.exp_stat_sn = StatSn{between(1, 0xffffffff)};
    p.data_sn = DataSn{any<std::uint32_t>()};
    p.buffer_offset = any<std::uint32_t>();
}
void fill(DataIn &p) {
    p.has_status = any<bool>();
    p.final = p.has_status || any<bool>();
    p.acknowledge = any<bool>();
    const auto residual = p.has_status ? between(0, 2) : 0;
    p.overflow = residual == 1;
    p.underflow = residual == 2;
    p.status = p.has_status ? status() : std::uint8_t{0};
    p.data_segment_length = between(p.has_status ? 0 : 1, max_data_segment_length);
    p.lun = lun();
    p.initiator_task_tag = task_tag();
    p.target_transfer_tag = transfer_tag();
    response_numbers(p);
    p.data_sn = DataSn{any<std::uint32_t>()};
    p.buffer_offset = any<std::uint32_t>();
    p.residual_count = any<std::uint32_t>();
}
void fill(R2t &p) {
    p.lun = lun();
    p.initiator_task_tag = task_tag();
    p.target_transfer_tag = TargetTransferTag{between(0, 0xfffffffe)};
    response_numbers(p);
    p.r2t_sn = DataSn{any<std::uint32_t>()};
    p.buffer_offset = any<std::uint32_t>();
    p.desired_data_transfer_length = between(1, 0xffffffff);
}
template <class T>
void login(T &p) {
    p.transit = any<bool>();
    p.continued = !p.transit && any<bool>();
    p.current_stage = static_cast<LoginStage>(between(0, 1));
    if (p.transit)
        p.next_stage = any<bool>() || p.current_stage == LoginStage::operational ? LoginStage::full_feature
                                                                                 : LoginStage::operational;
    p.data_segment_length = between(1, 8192);
    for (auto &b : p.isid)
        b = static_cast<std::byte>(any<std::uint8_t>());
    p.tsih = any<std::uint16_t>();
    p.initiator_task_tag = InitiatorTaskTag{any<std::uint32_t>()};
}
void fill(LoginRequest &p) {
    login(p);
    p.cid = any<std::uint16_t>();
    request_numbers(p);
}
void fill(LoginResponse &p) {
    login(p);
    response_numbers(p);
    p.status_class = static_cast<std::uint8_t>(between(0, 3));
    p.status_detail = p.status_class == 0 ? std::uint8_t{0} : any<std::uint8_t>();
}
template <class T>
void text(T &p) {
    p.final = any<bool>();
    p.continued = !p.final && any<bool>();
    p.data_segment_length = data_length();
    p.lun = lun();
    p.initiator_task_tag = task_tag();
    p.target_transfer_tag = transfer_tag();
}
void fill(TextRequest &p) {
    text(p);
    p.immediate = any<bool>();
    request_numbers(p);
}
void fill(TextResponse &p) {
    text(p);
    response_numbers(p);
}
void fill(LogoutRequest &p) {
    p.immediate = any<bool>();
    p.reason = static_cast<LogoutReason>(between(0, 2));
    p.initiator_task_tag = task_tag();
    p.cid = any<std::uint16_t>();
    request_numbers(p);
}
void fill(LogoutResponse &p) {
    p.response = static_cast<std::uint8_t>(between(0, 3));
    p.initiator_task_tag = task_tag();
    response_numbers(p);
    p.time2wait = any<std::uint16_t>();
    p.time2retain = any<std::uint16_t>();
}
void fill(TaskManagementRequest &p) {
    p.immediate = any<bool>();
    p.function = static_cast<TaskManagementFunction>(between(1, 12));
    p.lun = lun();
    p.initiator_task_tag = task_tag();
    p.referenced_task_tag = InitiatorTaskTag{any<std::uint32_t>()};
    request_numbers(p);
    p.ref_cmd_sn = CmdSn{any<std::uint32_t>()};
    p.exp_data_sn = DataSn{any<std::uint32_t>()};
}
void fill(TaskManagementResponse &p) {
    p.response = static_cast<std::uint8_t>(between(0, 7));
    p.initiator_task_tag = task_tag();
    response_numbers(p);
}
void fill(NopOut &p) {
    p.immediate = any<bool>();
    p.initiator_task_tag = p.immediate && any<bool>() ? InitiatorTaskTag::reserved : task_tag();
    p.target_transfer_tag = transfer_tag();
    p.data_segment_length = data_length();
    p.lun = lun();
    request_numbers(p);
}
void fill(NopIn &p) {
    p.initiator_task_tag = any<bool>() ? InitiatorTaskTag::reserved : task_tag();
    p.target_transfer_tag = transfer_tag();
    p.data_segment_length = data_length();
    p.lun = lun();
    response_numbers(p);
}
void fill(SnackRequest &p) {
    p.type = static_cast<SnackType>(between(0, 3));
    p.lun = lun();
    p.initiator_task_tag = InitiatorTaskTag{any<std::uint32_t>()};
    p.target_transfer_tag = transfer_tag();
    p.exp_stat_sn = StatSn{between(1, 0xffffffff)};
    p.begin_run = any<std::uint32_t>();
    p.run_length = any<std::uint32_t>();
}
void fill(AsyncMessage &p) {
    p.event = *rc::gen::element(AsyncEvent::scsi_event, AsyncEvent::logout_requested,
                                AsyncEvent::connection_dropped, AsyncEvent::session_dropped,
                                AsyncEvent::negotiation_requested, AsyncEvent::vendor_specific);
    p.vendor_code = any<std::uint8_t>();
    p.parameter1 = any<std::uint16_t>();
    p.parameter2 = any<std::uint16_t>();
    p.parameter3 = any<std::uint16_t>();
    p.data_segment_length = data_length();
    p.lun = lun();
    response_numbers(p);
}
void fill(Reject &p) {
    p.reason = static_cast<std::uint8_t>(between(1, 12));
    p.data_segment_length = between(48, 4096);
    response_numbers(p);
    p.data_sn = DataSn{any<std::uint32_t>()};
}

template <class T>
void check_round_trip(Opcode opcode) {
    const bool ok = rc::check(std::string(name(opcode)), [opcode] {
        T pdu;
        fill(pdu);
        const HeaderBytes header = pdu.encode();
        const HeaderView view(header);
        RC_ASSERT(view.opcode() == opcode);
        const auto direction = is_request(opcode) ? PduDirection::to_target : PduDirection::to_initiator;
        RC_ASSERT(plausible_header(view, direction));
        RC_ASSERT(!plausible_header(view, opposite(direction)));
        const auto back = T::parse(view);
        RC_ASSERT(back.has_value());
        RC_ASSERT(*back == pdu);
        RC_ASSERT(back->encode() == header);
        // No other type takes it.
        RC_ASSERT((ScsiCommand::parse(view).has_value()) == (opcode == Opcode::scsi_command));
        RC_ASSERT((DataIn::parse(view).has_value()) == (opcode == Opcode::data_in));
        RC_ASSERT((NopIn::parse(view).has_value()) == (opcode == Opcode::nop_in));
    });
    CHECK(ok);
}

} // namespace

TEST_CASE("Every PDU survives encode and parse") {
    check_round_trip<NopOut>(Opcode::nop_out);
    check_round_trip<ScsiCommand>(Opcode::scsi_command);
    check_round_trip<TaskManagementRequest>(Opcode::task_management_request);
    check_round_trip<LoginRequest>(Opcode::login_request);
    check_round_trip<TextRequest>(Opcode::text_request);
    check_round_trip<DataOut>(Opcode::data_out);
    check_round_trip<LogoutRequest>(Opcode::logout_request);
    check_round_trip<SnackRequest>(Opcode::snack_request);
    check_round_trip<NopIn>(Opcode::nop_in);
    check_round_trip<ScsiResponse>(Opcode::scsi_response);
    check_round_trip<TaskManagementResponse>(Opcode::task_management_response);
    check_round_trip<LoginResponse>(Opcode::login_response);
    check_round_trip<TextResponse>(Opcode::text_response);
    check_round_trip<DataIn>(Opcode::data_in);
    check_round_trip<LogoutResponse>(Opcode::logout_response);
    check_round_trip<R2t>(Opcode::r2t);
    check_round_trip<AsyncMessage>(Opcode::async_message);
    check_round_trip<Reject>(Opcode::reject);
}

TEST_CASE("Additional headers survive encode and parse") {
    CHECK(rc::check(
        "AHS",
        [] {
            std::vector<std::byte> cdb(between(0, 244));
            for (auto &b : cdb)
                b = static_cast<std::byte>(any<std::uint8_t>());
            AdditionalHeaders headers;
            headers.extended_cdb = cdb;
            if (any<bool>())
                headers.bidirectional_read_length = any<std::uint32_t>();
            const auto area = headers.encode();
            RC_ASSERT(area.size() % 4 == 0);
            RC_ASSERT(area.size() <= max_ahs_length);
            const auto back = AdditionalHeaders::parse(area);
            RC_ASSERT(back.has_value());
            RC_ASSERT(
                std::equal(cdb.begin(), cdb.end(), back->extended_cdb.begin(), back->extended_cdb.end()));
            RC_ASSERT(back->bidirectional_read_length == headers.bidirectional_read_length);
            // Cut anywhere it is refused or shorter, never read beyond.
            const auto part =
                std::span<const std::byte>(area).first(between(0, static_cast<std::uint32_t>(area.size())));
            (void)AdditionalHeaders::parse(part);
        }));
}

TEST_CASE("parse takes any 48 bytes, and what it takes it can write again") {
    CHECK(rc::check(
        "any header",
        [] {
            HeaderBytes bytes;
            for (auto &b : bytes)
                b = static_cast<std::byte>(any<std::uint8_t>());
            const HeaderView view(bytes);
            const auto again = []<class T>(std::optional<T> pdu) {
                if (pdu)
                    RC_ASSERT(T::parse(HeaderView(pdu->encode())) == pdu);
            };
            bytes[0] = static_cast<std::byte>(*rc::gen::element(
                0, 1, 2, 0x43, 4, 5, 6, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x31, 0x32, 0x3f));
            if (any<bool>())
                bytes[4] = std::byte{0};
            again(NopOut::parse(view));
            again(ScsiCommand::parse(view));
            again(TaskManagementRequest::parse(view));
            again(LoginRequest::parse(view));
            again(TextRequest::parse(view));
            again(DataOut::parse(view));
            again(LogoutRequest::parse(view));
            again(SnackRequest::parse(view));
            again(NopIn::parse(view));
            again(ScsiResponse::parse(view));
            again(TaskManagementResponse::parse(view));
            again(LoginResponse::parse(view));
            again(TextResponse::parse(view));
            again(DataIn::parse(view));
            again(LogoutResponse::parse(view));
            again(R2t::parse(view));
            again(AsyncMessage::parse(view));
            again(Reject::parse(view));
        }));
}
