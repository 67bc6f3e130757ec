// SPDX-License-Identifier: GPL-2.0-or-later
// Discovery of targets: SendTargets with and without an answer.
#include "catch.h"
#include "findings/made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto kind = FindingKind::discovery_trouble;
const Endpoint initiator = host(1, 40001), portal = host(2, 3260);

struct Discovery {
    Wire wire;
    Wire::Way out{initiator, portal, 1, 1}, back{portal, initiator, 1, 1};

    Discovery() {
        wire.syn(0ms, initiator, portal);
        wire.accept(500us, initiator, portal);
        LoginRequest request;
        request.transit = true;
        request.current_stage = LoginStage::operational;
        request.next_stage = LoginStage::full_feature;
        wire.pdu(1ms, out, back, request.encode(),
                 {{"InitiatorName", "iqn.i"}, {"SessionType", "Discovery"}, {"DataDigest", "None"}});
        LoginResponse answer;
        answer.transit = true;
        answer.current_stage = LoginStage::operational;
        answer.next_stage = LoginStage::full_feature;
        answer.tsih = 1;
        wire.pdu(2ms, back, out, answer.encode(), {{"DataDigest", "None"}});
    }
    void ask(Duration when, const char *what = "All") {
        TextRequest request;
        request.initiator_task_tag = InitiatorTaskTag{7};
        request.cmd_sn = CmdSn{1};
        request.exp_stat_sn = StatSn{1};
        wire.pdu(when, out, back, request.encode(), {{"SendTargets", what}});
        wire.segment(when + 200us, back, tcp_ack);
    }
    void answer(Duration when, const std::vector<KeyValue> &text) {
        TextResponse response;
        response.initiator_task_tag = InitiatorTaskTag{7};
        response.stat_sn = StatSn{1};
        response.exp_cmd_sn = CmdSn{2};
        response.max_cmd_sn = CmdSn{32};
        wire.pdu(when, back, out, response.encode(), text);
        wire.segment(when + 10us, out, tcp_ack);
    }
    void close(Duration when, Wire::Way &first, Wire::Way &second) {
        wire.segment(when, first, tcp_fin | tcp_ack);
        first.sent += 1, second.received = first.sent;
        wire.segment(when + 1ms, second, tcp_fin | tcp_ack);
        second.sent += 1, first.received = second.sent;
        wire.segment(when + 2ms, first, tcp_ack);
    }
};

const std::vector<KeyValue> one_target{{"TargetName", "iqn.t"}, {"TargetAddress", "10.0.0.2:3260,1"}};

} // namespace

TEST_CASE("SendTargets without an answer") {
    Discovery d;
    d.ask(3ms);
    d.close(20s, d.out, d.back);
    const FindingsResult r = d.wire.result();
    REQUIRE(r.find(kind) != nullptr);
    const Finding &f = *r.find(kind);
    CHECK(r.findings[0].kind == kind);
    CHECK(f.title == "SendTargets gets no answer");
    CHECK(is_failure(f));
    CHECK(figure(f, "discoveries_troubled") == 1);
    CHECK(f.sentence.find("DataDigest=None") != std::string::npos);
}

TEST_CASE("SendTargets whose request never reached the target is no trouble of discovery") {
    Discovery d;
    TextRequest request;
    request.initiator_task_tag = InitiatorTaskTag{7};
    request.cmd_sn = CmdSn{1};
    d.wire.pdu(3ms, d.out, d.back, request.encode(), {{"SendTargets", "All"}});
    d.wire.segment(10s, d.out, tcp_rst | tcp_ack);
    CHECK(d.wire.result().find(kind) == nullptr);
}

TEST_CASE("an answer to SendTargets with a target, and one without") {
    Discovery good;
    good.ask(3ms);
    good.answer(4ms, one_target);
    good.close(5ms, good.out, good.back);
    const FindingsResult r = good.wire.result();
    CHECK(r.find(kind) == nullptr);
    CHECK(why_not(r, kind).find("1 answer to SendTargets named 1 target") == 0);

    Discovery none;
    none.ask(3ms);
    none.answer(4ms, {});
    none.close(5ms, none.out, none.back);
    const FindingsResult empty = none.wire.result();
    REQUIRE(empty.find(kind) != nullptr);
    CHECK(empty.find(kind)->title == "The target lists no target for this initiator");
    CHECK(is_failure(*empty.find(kind)));
}

TEST_CASE("a late answer is a notice, and one that comes after a silence no failure") {
    Discovery late;
    late.ask(3ms);
    late.answer(7s, one_target);
    late.close(8s, late.out, late.back);
    const FindingsResult r = late.wire.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::notice);
    CHECK(r.find(kind)->title == "Discovery is slow");
}

TEST_CASE("the target ends the discovery session before its answer") {
    Discovery d;
    d.ask(3ms);
    d.close(1s, d.back, d.out);
    const FindingsResult r = d.wire.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->title == "The target closes discovery sessions");
}

TEST_CASE("without a discovery session there is nothing to say on it") {
    Wire wire;
    wire.login(0s, initiator, portal, 0, 0);
    CHECK(why_not(wire.result(), kind) == "no discovery session is in the capture");
}
