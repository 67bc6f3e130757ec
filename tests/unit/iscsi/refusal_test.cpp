// SPDX-License-Identifier: GPL-2.0-or-later
// Refused logins as real targets send them, and what must not be taken for them.
#include "analyzer/iscsi/codec/pdu/login_pdus.h"
#include "analyzer/iscsi/text/text_keys.h"
#include "catch.h"
#include "iscsi/pdu_recording.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <string_view>

using namespace iscsiscope;
using namespace traffic;

namespace {

using Bytes = std::vector<std::byte>;

// 48 bytes, zero but for the given ones.
Bytes header(std::initializer_list<std::pair<std::size_t, int>> set) {
    Bytes h(basic_header_size);
    for (const auto &[at, value] : set)
        h[at] = static_cast<std::byte>(value);
    return h;
}

Bytes operator+(Bytes a, const Bytes &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Bytes text(std::string_view s) {
    const auto raw = std::as_bytes(std::span(s));
    return {raw.begin(), raw.end()};
}

// A Login Request as open-iscsi sends the first: T, from the operational to the full feature stage.
Bytes request() {
    LoginRequest r;
    r.transit = true;
    r.current_stage = LoginStage::operational;
    r.next_stage = LoginStage::full_feature;
    r.isid = {std::byte{0}, std::byte{2}, std::byte{0x3d}};
    r.cmd_sn = CmdSn{1};
    const std::vector<KeyValue> keys{{"InitiatorName", "iqn.i"}, {"TargetName", "iqn.t"}};
    auto data = build_text(keys);
    r.data_segment_length = static_cast<std::uint32_t>(data.size());
    data.resize((data.size() + 3) / 4 * 4);
    const HeaderBytes h = r.encode();
    return Bytes(h.begin(), h.end()) + data;
}

// LIO: all zero but opcode and status, here 03/01. tgtd: also its stages and the Initiator Task Tag, 02/03.
const Bytes lio = header({{0, 0x23}, {36, 3}, {37, 1}});
const Bytes tgtd =
    header({{0, 0x23}, {1, 0x04}, {16, 0x3c}, {17, 0x8a}, {18, 0x13}, {19, 0xbf}, {36, 2}, {37, 3}});

struct Step {
    int side;
    Bytes payload;
};

PduRecording play(const std::vector<Step> &steps, std::uint16_t port, bool syn) {
    std::vector<Packet> packets = syn ? handshake() : std::vector<Packet>{};
    std::uint32_t sent[2] = {0, 0};
    for (const Step &s : steps) {
        packets.push_back({.side = s.side,
                           .sequence = initial_sequence[s.side] + sent[s.side],
                           .acknowledgment = initial_sequence[1 - s.side] + sent[1 - s.side],
                           .payload = s.payload});
        sent[s.side] += static_cast<std::uint32_t>(s.payload.size());
    }
    std::mt19937 random{1};
    stamp(packets, random);
    PduRecording r;
    IscsiEngine iscsi{r, r};
    FedTcp tcp{iscsi, r};
    for (std::size_t i = 0; i < packets.size(); ++i)
        tcp.feed(segment(packets[i], i + 1, 50000, port));
    tcp.finish();
    return r;
}

} // namespace

TEST_CASE("a refusal of nearly nothing but a status is a Login Response", "[iscsi]") {
    const bool syn = GENERATE(true, false);
    const std::uint16_t port = GENERATE(std::uint16_t{3260}, std::uint16_t{13260});
    for (const Bytes &refusal : {lio, tgtd}) {
        const PduRecording r = play({{0, request()}, {1, refusal}}, port, syn);
        REQUIRE(r.pdus[0].size() == 1);
        REQUIRE(r.pdus[1].size() == 1);
        CHECK(r.pdus[1][0].view().opcode() == Opcode::login_response);
        REQUIRE(r.logins.size() == 1);
        CHECK(r.logins[0].finished);
        CHECK_FALSE(r.logins[0].accepted);
        CHECK(r.logins[0].whole);
        CHECK(r.logins[0].target_name == "iqn.t");
        CHECK(r.logins[0].status_class == std::to_integer<std::uint8_t>(refusal[36]));
        CHECK(r.logins[0].status_detail == std::to_integer<std::uint8_t>(refusal[37]));
        CHECK(r.anomalies.empty());
    }
}

TEST_CASE("a refusal that ends a longer login, and one in two segments", "[iscsi]") {
    LoginResponse onward;
    onward.current_stage = LoginStage::security;
    onward.stat_sn = StatSn{0x44ac0001};
    onward.exp_cmd_sn = onward.max_cmd_sn = CmdSn{1};
    onward.isid = {std::byte{0}, std::byte{2}, std::byte{0x3d}};
    const HeaderBytes first = onward.encode();
    const auto half = lio.begin() + 20;
    const PduRecording r = play({{0, request()},
                                 {1, Bytes(first.begin(), first.end())},
                                 {0, request()},
                                 {1, Bytes(lio.begin(), half)},
                                 {1, Bytes(half, lio.end())}},
                                3260, true);
    CHECK(r.pdus[1].size() == 2);
    REQUIRE(r.logins.size() == 1);
    CHECK(r.logins[0].round_trips == 2);
    CHECK(r.logins[0].status_class == 3);
}

TEST_CASE("a Login Request and a Reject with fields that the standard forbids", "[iscsi]") {
    Bytes odd = request();
    odd[2] = odd[3] = odd[22] = odd[40] = std::byte{0xff};
    // Reason 4 (protocol error); numbers all zero. It returns the header of what it rejects.
    const Bytes reject =
        header({{0, 0x3f}, {1, 0x80}, {2, 4}, {7, 48}}) + Bytes(odd.begin(), odd.begin() + 48);
    const PduRecording r = play({{0, odd}, {1, reject}}, 3260, true);
    REQUIRE(r.pdus[0].size() == 1);
    REQUIRE(r.pdus[1].size() == 1);
    CHECK(r.pdus[1][0].view().opcode() == Opcode::reject);
    CHECK(r.pdus[1][0].data_length == 48);
}

TEST_CASE("other protocols on an iSCSI port are not taken for logins", "[iscsi]") {
    const Bytes zeros(200);
    const Bytes http = text("CONNECT storage.example.com:443 HTTP/1.1\r\nHost: storage.example.com\r\n\r\n");
    const Bytes shell = text("# a comment of a script that somebody sends through a socket\nexit\n");
    const Bytes question = text("? a question mark is the opcode of a Reject, and text has no zeros");
    const Bytes tls = header({{0, 0x16}, {1, 3}, {2, 1}, {4, 200}, {5, 1}}) + zeros;
    const Bytes counted = header({{0, 0x43}, {4, 1}}) + zeros;   // little-endian length 67, then a type
    const Bytes counted_in_zeros = header({{0, 0x43}}) + zeros;  // a first request has text
    const Bytes long_text = header({{0, 0x23}, {5, 2}}) + zeros; // of 128 KiB
    for (const Bytes &one : {http, shell, question, tls, counted, counted_in_zeros, long_text, zeros}) {
        for (const std::uint16_t port : {std::uint16_t{3260}, std::uint16_t{80}}) {
            for (const bool syn : {true, false}) {
                CAPTURE(one, port, syn);
                const PduRecording r = play({{0, one}, {1, one}, {0, one}, {1, one}}, port, syn);
                CHECK(r.connections == 0);
                CHECK(r.pdus[0].empty());
                CHECK(r.pdus[1].empty());
            }
        }
    }
}

TEST_CASE("a status in zeros is no PDU where no login goes on", "[iscsi]") {
    // On a port of its own and without a request; and in a stream whose begin is not in the capture.
    CHECK(play({{1, lio}}, 80, true).pdus[1].empty());
    CHECK(play({{1, lio}, {0, text("hello")}}, 3260, false).pdus[1].empty());
}

TEST_CASE("which connections may be iSCSI by their first payload", "[iscsi]") {
    const auto may_be = [](const Bytes &payload, std::uint16_t port, bool syn) {
        const Packet p{.payload = payload};
        return IscsiEngine::look_at_first({.ports = {13260}}, segment(p, 1, 50000, port), syn).matters;
    };
    const Bytes other{std::byte{'G'}, std::byte{'E'}, std::byte{'T'}};
    CHECK(may_be(request(), 4000, true));
    CHECK(may_be(lio, 4000, true));
    CHECK_FALSE(may_be(other, 4000, true));
    CHECK(may_be(other, 4000, false)); // from its middle: a header may follow
    CHECK(may_be(other, 3260, true));
    CHECK(may_be(other, 860, true));
    CHECK(may_be(other, 13260, true));
    CHECK(may_be({}, 4000, true)); // the file does not hold it
    const auto service = [](std::uint16_t port) {
        return IscsiEngine::look_at_first({.ports = {13260}}, segment({}, 1, 50000, port), false).service;
    };
    CHECK(service(860) == service(3260));
    CHECK(service(13260) == service(3260));
    CHECK(service(22) == 22);
    CHECK(service(3261) == 3261);
}
