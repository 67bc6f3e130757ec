// SPDX-License-Identifier: GPL-2.0-or-later
// Targets that send their initiators away: login redirections and Async Messages.
#include "catch.h"
#include "made_facts.h"
#include "made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto kind = FindingKind::target_moved;
const Endpoint old_portal = host(2, 3260), new_portal = host(3, 3260);
const Endpoint first = host(1, 40001), second = host(1, 40002);

HeaderBytes async_message(AsyncEvent event) {
    AsyncMessage m;
    m.event = event;
    m.parameter3 = 10;
    m.stat_sn = StatSn{1};
    m.exp_cmd_sn = CmdSn{1};
    m.max_cmd_sn = CmdSn{32};
    return m.encode();
}

} // namespace

TEST_CASE("a redirected login that is accepted elsewhere") {
    Wire wire;
    wire.login(0s, first, old_portal, 1, 2, "10.0.0.3:3260,1");
    wire.login(10ms, second, new_portal, 0, 0);
    const FindingsResult r = wire.result();
    REQUIRE(r.find(kind) != nullptr);
    const Finding &f = *r.find(kind);
    CHECK(f.severity == Severity::info);
    CHECK_FALSE(is_failure(f));
    CHECK(f.sentence.find("10.0.0.3:3260,1") != std::string::npos);
    CHECK(figure(f, "time_to_new_login") == Approx(10e6));
    CHECK(f.evidence.size() == 3);
    CHECK(r.find(FindingKind::login_trouble) == nullptr);
    CHECK(why_not(r, FindingKind::login_trouble).find("1 login accepted, none refused") == 0);
}

TEST_CASE("a redirected login that leads nowhere") {
    Wire wire;
    wire.login(0s, first, old_portal, 1, 1, "10.0.0.3:3260,1");
    wire.syn(10ms, second, new_portal);
    wire.refuse(11ms, second, new_portal);
    const FindingsResult r = wire.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::problem);
    CHECK(is_failure(*r.find(kind)));
    CHECK(r.find(kind)->sentence.find("no login of this initiator was accepted afterwards") !=
          std::string::npos);
    CHECK(r.find(FindingKind::portal_unreachable) != nullptr);
}

TEST_CASE("Async Messages that end sessions") {
    const auto asked = [](AsyncEvent event, bool again) {
        Wire wire;
        auto [out, back] = wire.login(0s, first, old_portal, 0, 0);
        const FrameNumber frame = wire.pdu(1s, back, out, async_message(event), {});
        if (again)
            wire.login(3s, second, old_portal, 0, 0);
        return std::pair(wire.result(), frame);
    };
    for (const AsyncEvent event :
         {AsyncEvent::logout_requested, AsyncEvent::connection_dropped, AsyncEvent::session_dropped}) {
        const auto [r, frame] = asked(event, true);
        REQUIRE(r.find(kind) != nullptr);
        CHECK(r.find(kind)->severity == Severity::info);
        CHECK(r.find(kind)->evidence[0].frame == frame);
        CHECK(figure(*r.find(kind), "time_to_new_login") == Approx(2.002e9));
        const auto lost = asked(event, false).first;
        REQUIRE(lost.find(kind) != nullptr);
        CHECK(lost.find(kind)->severity == Severity::problem);
        CHECK(figure(*lost.find(kind), "without_new_login") == 1);
    }
    CHECK(asked(AsyncEvent::scsi_event, false).first.find(kind) == nullptr);
    CHECK(asked(AsyncEvent::negotiation_requested, false).first.find(kind) == nullptr);
}

TEST_CASE("no move where logins are accepted and nothing is asked") {
    Wire wire;
    wire.login(0s, first, old_portal, 0, 0);
    const FindingsResult r = wire.result();
    CHECK(r.find(kind) == nullptr);
    CHECK(
        why_not(r, kind) ==
        "no login was redirected and no target asked for a logout or dropped a connection: 1 login accepted");
}

TEST_CASE("of targets that are not in the capture nothing is said") {
    Facts f = one_connection();
    f.connections[0].record.segments_to_target = 10;
    const SessionFigures sessions;
    CHECK(why_not(found(f, &sessions), kind).find("whether a target redirected logins") == 0);
}

TEST_CASE("a logout that the target asked for: after how long, and what it cost") {
    const auto asked = [](bool again, Duration end) {
        Wire wire;
        auto [out, back] = wire.login(0s, first, old_portal, 0, 0);
        wire.pdu(1s, back, out, async_message(AsyncEvent::logout_requested), {});
        LogoutRequest request;
        request.immediate = true;
        request.initiator_task_tag = InitiatorTaskTag{9};
        request.cmd_sn = CmdSn{1};
        request.exp_stat_sn = StatSn{2};
        wire.pdu(1s + 40ms, out, back, request.encode(), {});
        LogoutResponse answer;
        answer.initiator_task_tag = InitiatorTaskTag{9};
        answer.stat_sn = StatSn{2};
        answer.exp_cmd_sn = CmdSn{1};
        answer.max_cmd_sn = CmdSn{32};
        wire.pdu(1s + 41ms, back, out, answer.encode(), {});
        if (again)
            wire.login(3s, second, old_portal, 0, 0);
        wire.segment(end, {host(9, 1), host(9, 2)}, tcp_ack);
        wire.syn(end, host(9, 3), host(9, 4));
        return wire.result();
    };
    const FindingsResult back = asked(true, 4s);
    REQUIRE(back.find(kind) != nullptr);
    CHECK(back.find(kind)->sentence.find(
              "asked for a logout (Async Message) within 10 seconds; the initiator sent it after 40.0 ms, no "
              "command was lost;") != std::string::npos);
    CHECK(back.find(kind)->sentence.find("2.00 s") != std::string::npos); // until the new login
    CHECK(figure(*back.find(kind), "time_to_logout") == Approx(40e6));
    CHECK(figure(*back.find(kind), "commands_lost") == 0);
    // Where the capture ends soon behind the logout, nothing shows that no login followed.
    const FindingsResult cut = asked(false, 1s + 50ms);
    REQUIRE(cut.find(kind) != nullptr);
    CHECK(cut.find(kind)->severity == Severity::info);
    CHECK(cut.find(kind)->sentence.find("the capture ends before a new login") != std::string::npos);
}

TEST_CASE("a portal that redirects to itself") {
    Wire wire;
    for (int i = 0; i < 4; ++i)
        wire.login(i * 100ms, host(1, static_cast<std::uint16_t>(40001 + i)), old_portal, 1, 1,
                   "10.0.0.2:3260");
    const FindingsResult r = wire.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::problem);
    CHECK(r.find(kind)->sentence.find(" to itself;") != std::string::npos);
    CHECK(r.find(kind)->remedy.find("sends logins back to itself") != std::string::npos);
}
