// SPDX-License-Identifier: GPL-2.0-or-later
// protocol_violation: a broken rule of RFC 7143 with what the other end did because of it.
#include "catch.h"
#include "made_facts.h"
#include "made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto kind = FindingKind::protocol_violation;
const Endpoint portal = host(2, 3260), first = host(1, 40001), second = host(1, 40002);

// A NOP-Out that answers a ping of the target. The target sent none with this tag.
HeaderBytes nop_out(std::uint32_t ttt) {
    NopOut n;
    n.immediate = true;
    n.initiator_task_tag = InitiatorTaskTag::reserved;
    n.target_transfer_tag = TargetTransferTag{ttt};
    n.cmd_sn = CmdSn{1};
    n.exp_stat_sn = StatSn{1};
    return n.encode();
}

HeaderBytes nop_in(std::uint32_t itt, std::uint32_t ttt) {
    NopIn n;
    n.initiator_task_tag = InitiatorTaskTag{itt};
    n.target_transfer_tag = TargetTransferTag{ttt};
    n.stat_sn = StatSn{1};
    n.exp_cmd_sn = CmdSn{1};
    n.max_cmd_sn = CmdSn{32};
    return n.encode();
}

HeaderBytes ping() {
    NopOut n;
    n.immediate = true;
    n.initiator_task_tag = InitiatorTaskTag{5};
    n.cmd_sn = CmdSn{1};
    n.exp_stat_sn = StatSn{1};
    return n.encode();
}

std::vector<std::byte> bytes_of(const HeaderBytes &h) {
    return {h.begin(), h.end()};
}

HeaderBytes reject(std::uint8_t reason) {
    Reject r;
    r.reason = reason;
    r.stat_sn = StatSn{1};
    r.exp_cmd_sn = CmdSn{1};
    r.max_cmd_sn = CmdSn{32};
    return r.encode();
}

struct Talk : Wire {
    Way out, back;
    Talk() { std::tie(out, back) = login(0s, first, portal, 0, 0); }
    FrameNumber initiator(Duration when, const HeaderBytes &h) { return pdu(when, out, back, h, {}); }
    FrameNumber target(Duration when, const HeaderBytes &h, std::vector<std::byte> data = {}) {
        return pdu_with(when, back, out, h, std::move(data));
    }
    FrameNumber fin_of_target(Duration when) { return segment(when, back, tcp_fin | tcp_ack); }
};

} // namespace

TEST_CASE("a violation that the target rejects before it closes the connection") {
    Talk t;
    const HeaderBytes wrong = nop_out(7);
    const FrameNumber at = t.initiator(1s, wrong);
    t.target(1s + 1ms, reject(4), bytes_of(wrong));
    t.fin_of_target(1s + 3ms);
    t.login(3s, second, portal, 0, 0);
    const FindingsResult r = t.result();
    REQUIRE(r.find(kind) != nullptr);
    const Finding &f = *r.find(kind);
    CHECK(f.severity == Severity::problem);
    CHECK(is_failure(f));
    CHECK(f.evidence.size() == 3);
    CHECK(f.evidence[0].frame == at);
    CHECK(f.sentence.find("The initiator 10.0.0.1 broke RFC 7143, section 11.18.2") == 0);
    CHECK(f.sentence.find("Reject 0x04, protocol error") != std::string::npos);
    CHECK(f.sentence.find("closed the connection 2.00 ms later") != std::string::npos);
    CHECK(figure(f, "rejects") == 1);
    CHECK(figure(f, "connections_closed") == 1);
}

TEST_CASE("a violation after which the target closes the connection without a word") {
    const bool by_reset = GENERATE(false, true);
    Talk t;
    t.initiator(1s, nop_out(7));
    t.segment(1s + 500us, t.back, tcp_ack | (by_reset ? tcp_rst : tcp_fin));
    const FindingsResult r = t.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(figure(*r.find(kind), "rejects") == 0);
    CHECK(figure(*r.find(kind), "connections_closed") == 1);
    CHECK((r.find(kind)->sentence.find("(RST)") != std::string::npos) == by_reset);
    CHECK(r.find(FindingKind::connection_reset) == nullptr);
}

TEST_CASE("a Reject that says protocol error, of a PDU that breaks no rule") {
    Talk t;
    const HeaderBytes right = ping();
    t.initiator(1s, right);
    t.target(1s + 1ms, reject(4), bytes_of(right));
    const FindingsResult r = t.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::notice);
    CHECK(r.find(kind)->sentence.find("the capture shows no rule that it breaks") != std::string::npos);
}

TEST_CASE("violations without consequence are none") {
    Talk t;
    std::string why = "1 rule of RFC 7143 was broken, but no PDU was rejected, no connection closed and no "
                      "command lost because of it";
    SECTION("the target answers what comes after") {
        t.initiator(1s, nop_out(7));
        t.initiator(1s + 1ms, ping());
        t.target(1s + 2ms, nop_in(5, 0xffffffff));
        t.fin_of_target(1s + 3ms);
    }
    SECTION("the connection is closed much later") {
        t.initiator(1s, nop_out(7));
        t.fin_of_target(30s);
    }
    SECTION("the initiator closes it") {
        t.initiator(1s, nop_out(7));
        t.segment(1s + 1ms, t.out, tcp_fin | tcp_ack);
        t.fin_of_target(1s + 2ms);
    }
    SECTION("it was borne before") {
        t.initiator(1s, nop_out(7));
        t.initiator(1s + 1ms, ping());
        t.target(1s + 2ms, nop_in(5, 0xffffffff));
        t.initiator(5s, nop_out(8));
        t.fin_of_target(5s + 1ms);
    }
    SECTION("the rule is kept") {
        t.target(1s, nop_in(0xffffffff, 7));
        t.initiator(1s + 1ms, nop_out(7));
        t.fin_of_target(1s + 2ms);
        why.clear();
    }
    SECTION("the target's ping may be missing from the capture") {
        t.back.sent += 48; // acknowledged, and in no frame
        t.out.received = t.back.sent;
        t.initiator(1s, nop_out(7));
        t.fin_of_target(1s + 2ms);
        why.clear();
    }
    SECTION("a Reject states what the target cannot do") {
        const HeaderBytes right = ping();
        t.initiator(1s, right);
        t.target(1s + 1ms, reject(5), bytes_of(right));
        why.clear();
    }
    const FindingsResult r = t.result();
    CHECK(r.find(kind) == nullptr);
    if (!why.empty())
        CHECK(why_not(r, kind) == why);
}

TEST_CASE("without figures of sessions no rule is tested") {
    const Facts f = one_connection();
    CHECK(why_not(found(f), kind) == "the rules of RFC 7143 were not tested");
}
