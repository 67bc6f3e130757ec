// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/crc32c/crc32c.h"
#include "analyzer/iscsi/codec/ahs.h"
#include "analyzer/iscsi/codec/frame_pdu.h"
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "bytes.h"
#include "catch.h"

#include <algorithm>

using namespace iscsiscope;

TEST_CASE("Serial numbers wrap (RFC 1982)") {
    CHECK(CmdSn{0xffffffff} < CmdSn{0});
    CHECK(CmdSn{0} > CmdSn{0xffffff00});
    CHECK(CmdSn{5} <= CmdSn{5});
    CHECK(CmdSn{0x7fffffff} > CmdSn{0});
    CHECK(distance(CmdSn{0xfffffffe}, CmdSn{3}) == 5);
    CHECK(distance(CmdSn{3}, CmdSn{0xfffffffe}) == -5);
    CHECK(newer(StatSn{0xffffffff}, StatSn{1}) == StatSn{1});
    CHECK((CmdSn{0xffffffff} + 1) == CmdSn{0});
}

TEST_CASE("Opcode names") {
    CHECK(name(Opcode::nop_out) == "NOP-Out");
    CHECK(name(Opcode::data_in) == "Data-In");
    CHECK(name(Opcode::r2t) == "R2T");
    CHECK(name(static_cast<Opcode>(0x1c)) == "unknown");
    int known = 0;
    for (int code = 0; code < 64; ++code) {
        const auto opcode = static_cast<Opcode>(code);
        known += is_known(opcode) ? 1 : 0;
        CHECK(is_known(opcode) == (name(opcode) != "unknown"));
    }
    CHECK(known == 18);
}

TEST_CASE("CRC32C of RFC 7143 (RFC 3720 B.4)") {
    std::vector<std::byte> up(32), down(32);
    for (int i = 0; i < 32; ++i) {
        up[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
        down[static_cast<std::size_t>(i)] = static_cast<std::byte>(31 - i);
    }
    const auto read10 = bytes({0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,    //
                               0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18, //
                               0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0});
    struct Vector {
        std::vector<std::byte> data;
        std::vector<std::byte> digest; // on the wire
    };
    const std::vector<Vector> vectors = {
        {std::vector<std::byte>(32, std::byte{0}), bytes({0xaa, 0x36, 0x91, 0x8a})},
        {std::vector<std::byte>(32, std::byte{0xff}), bytes({0x43, 0xab, 0xa8, 0x62})},
        {up, bytes({0x4e, 0x79, 0xdd, 0x46})},
        {down, bytes({0x5c, 0xdb, 0x3f, 0x11})},
        {read10, bytes({0x56, 0x3a, 0x96, 0xd9})},
    };
    WARN("CRC32C implementation: " << crc32c_implementation());
    for (const auto &v : vectors) {
        const auto digest = digest_bytes(crc32c(0, v.data));
        CHECK(std::ranges::equal(digest, v.digest));
        CHECK(load_digest(digest) == crc32c(0, v.data));
        CHECK(crc32c_table(0, v.data) == crc32c(0, v.data));
    }
}

TEST_CASE("CRC32C: any length, alignment and cut gives the table's value") {
    std::vector<std::byte> data(9000);
    std::uint32_t x = 1;
    for (auto &b : data) {
        x = x * 1664525 + 1013904223;
        b = static_cast<std::byte>(x >> 24);
    }
    const std::span<const std::byte> all(data);
    // Lengths around the sizes at which the implementation changes its step.
    for (const std::size_t length : std::initializer_list<std::size_t>{
             0,   1,   7,   8,    9,    47,   48,   63,   64,   191,  192,  193, 200,
             383, 384, 385, 3071, 3072, 3073, 3263, 3264, 6144, 6500, 8192, 8990}) {
        for (std::size_t start = 0; start < 9; ++start) {
            const auto part = all.subspan(start, length);
            const std::uint32_t expected = crc32c_table(0, part);
            CHECK(crc32c(0, part) == expected);
            const std::size_t cut = length / 3;
            CHECK(crc32c(crc32c(0, part.first(cut)), part.subspan(cut)) == expected);
        }
    }
}

TEST_CASE("A framed PDU has its parts in order, with padding and digests") {
    NopOut ping;
    ping.immediate = true;
    ping.initiator_task_tag = InitiatorTaskTag{7};
    const auto data = bytes("hello");
    FramedPdu pdu(ping.encode(), data, {.header = true, .data = true});
    std::vector<std::byte> wire;
    for (const auto part : pdu.parts())
        wire.insert(wire.end(), part.begin(), part.end());
    REQUIRE(wire.size() == 48 + 4 + 8 + 4);
    CHECK(pdu.size() == wire.size());
    const HeaderView view(std::span<const std::byte, 48>(wire.data(), 48));
    CHECK(view.data_segment_length() == 5);
    CHECK(view.pdu_length(true, true) == wire.size());
    const std::span<const std::byte> all(wire);
    CHECK(load_digest(all.subspan<48, 4>()) == crc32c(0, all.first(48)));
    CHECK(std::ranges::equal(all.subspan(52, 8), bytes("hello") + bytes({0, 0, 0})));
    CHECK(load_digest(all.subspan<60, 4>()) == crc32c(0, all.subspan(52, 8)));

    pdu.spoil_data_digest();
    CHECK(pdu.parts()[4].back() == (wire.back() ^ std::byte{1}));
    CHECK(FramedPdu(ping.encode(), {}, {.header = false, .data = true}).size() == 48);
    CHECK(FramedPdu(ping.encode(), data, {}).size() == 56);
    const FramedPdu copy = pdu; // parts of a copy are its own
    CHECK(copy.parts()[0].data() != pdu.parts()[0].data());

    AdditionalHeaders headers;
    headers.bidirectional_read_length = 512;
    const auto area = headers.encode();
    const FramedPdu with_ahs(ScsiCommand{}.encode(), area, {}, {.header = true, .data = false});
    CHECK(with_ahs.size() == 48 + 8 + 4);
    const std::span<const std::byte, 48> header(with_ahs.parts()[0].data(), 48);
    CHECK(HeaderView(header).total_ahs_length() == 8);
    CHECK(load_digest(with_ahs.parts()[2].first<4>()) == crc32c(crc32c(0, header), area));
}

TEST_CASE("Additional headers that contradict themselves are refused") {
    CHECK(AdditionalHeaders::parse({}).has_value());
    CHECK_FALSE(AdditionalHeaders::parse(bytes({0, 20, 1, 0})));            // longer than the area
    CHECK_FALSE(AdditionalHeaders::parse(bytes({0, 4, 2, 0, 0, 0, 0, 0}))); // bidirectional: 5
    CHECK_FALSE(AdditionalHeaders::parse(bytes({0, 1})));                   // half a segment
    CHECK_FALSE(AdditionalHeaders::parse(bytes({0, 5, 0x3f, 0})));          // ends four bytes beyond the area
    CHECK(AdditionalHeaders::parse(bytes({0, 5, 0x3f, 1, 2, 3, 4, 5})).has_value()); // unknown: passed over
    const auto twice = bytes({0, 5, 2, 0, 0, 0, 2, 0, 0, 5, 2, 0, 0, 0, 2, 0});
    CHECK_FALSE(AdditionalHeaders::parse(twice));
    CHECK(AdditionalHeaders::parse(std::span(twice).first(8))->bidirectional_read_length == 512u);
}

TEST_CASE("Headers that RFC 7143 forbids are not parsed") {
    const auto changed = [](HeaderBytes h, std::size_t at, int value) {
        h[at] = static_cast<std::byte>(value);
        return h;
    };
    ScsiCommand c;
    c.initiator_task_tag = InitiatorTaskTag{1};
    c.read = true;
    c.expected_data_transfer_length = 512;
    const HeaderBytes read = c.encode();
    CHECK(ScsiCommand::parse(HeaderView(read)));
    CHECK_FALSE(ScsiCommand::parse(HeaderView(changed(read, 1, 0x41)))); // neither F nor W
    CHECK_FALSE(ScsiCommand::parse(HeaderView(changed(read, 1, 0x81)))); // a length without direction
    CHECK_FALSE(ScsiCommand::parse(HeaderView(changed(read, 1, 0xc7)))); // attribute 7
    CHECK_FALSE(ScsiCommand::parse(HeaderView(changed(read, 7, 1))));    // immediate data of a read
    CHECK_FALSE(ScsiCommand::parse(HeaderView(changed(read, 0, 0x21)))); // another opcode

    DataIn d;
    d.initiator_task_tag = InitiatorTaskTag{1};
    d.final = d.has_status = true;
    const HeaderBytes last = d.encode();
    CHECK(DataIn::parse(HeaderView(last)));
    CHECK_FALSE(DataIn::parse(HeaderView(changed(last, 1, 0x01)))); // S without F
    CHECK_FALSE(DataIn::parse(HeaderView(changed(last, 1, 0x82)))); // U without S
    CHECK_FALSE(DataIn::parse(HeaderView(changed(last, 1, 0x87)))); // O and U
    CHECK_FALSE(DataIn::parse(HeaderView(changed(last, 4, 1))));    // AHS
    CHECK_FALSE(HeaderView(changed(last, 1, 0x80)).has_stat_sn());
    CHECK(HeaderView(last).has_stat_sn());

    R2t r;
    r.initiator_task_tag = InitiatorTaskTag{1};
    CHECK_FALSE(R2t::parse(HeaderView(r.encode()))); // wants nothing
    r.desired_data_transfer_length = 1;
    CHECK(R2t::parse(HeaderView(r.encode())));
    r.target_transfer_tag = TargetTransferTag::reserved;
    CHECK_FALSE(R2t::parse(HeaderView(r.encode())));

    LoginRequest l;
    l.transit = true;
    l.next_stage = LoginStage::full_feature;
    const HeaderBytes login = l.encode();
    CHECK(LoginRequest::parse(HeaderView(login)));
    CHECK_FALSE(LoginRequest::parse(HeaderView(changed(login, 0, 0x03)))); // not immediate
    CHECK_FALSE(LoginRequest::parse(HeaderView(changed(login, 1, 0xc3)))); // T and C
    CHECK_FALSE(LoginRequest::parse(HeaderView(changed(login, 1, 0x82)))); // stage 2
    CHECK_FALSE(LoginRequest::parse(HeaderView(changed(login, 1, 0x85)))); // not a later stage

    NopOut n;
    CHECK_FALSE(NopOut::parse(HeaderView(n.encode()))); // no task tag, not immediate
    n.immediate = true;
    CHECK(NopOut::parse(HeaderView(n.encode())));
}

TEST_CASE("Field presence by opcode") {
    const auto view_of = [](HeaderBytes &storage, HeaderBytes h) {
        storage = h;
        return HeaderView(storage);
    };
    HeaderBytes s;
    CHECK(view_of(s, ScsiCommand{}.encode()).has_cmd_sn());
    CHECK_FALSE(view_of(s, DataOut{}.encode()).has_cmd_sn());
    CHECK_FALSE(view_of(s, SnackRequest{}.encode()).has_cmd_sn());
    CHECK_FALSE(view_of(s, LoginRequest{}.encode()).consumes_cmd_sn());
    CHECK(view_of(s, R2t{}.encode()).has_stat_sn());
    CHECK_FALSE(view_of(s, R2t{}.encode()).consumes_stat_sn());
    CHECK_FALSE(view_of(s, NopIn{}.encode()).consumes_stat_sn()); // a ping of the target's own
    CHECK(view_of(s, AsyncMessage{}.encode()).consumes_stat_sn());
    CHECK_FALSE(view_of(s, Reject{}.encode()).has_initiator_task_tag());
    CHECK_FALSE(view_of(s, ScsiResponse{}.encode()).has_lun());
    CHECK_FALSE(view_of(s, ScsiResponse{}.encode()).has_residual_count());
    CHECK(name(TaskManagementFunction::logical_unit_reset) == "LOGICAL UNIT RESET");
}
