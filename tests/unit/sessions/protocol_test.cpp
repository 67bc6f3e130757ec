// SPDX-License-Identifier: GPL-2.0-or-later
// Pings, logins and the rules of RFC 7143 on conversations made by hand.
#include "catch.h"

#include "stage.h"

#include <map>

using namespace iscsiscope;
using namespace iscsiscope::test;

TEST_CASE("pings against the load, and those nobody answers") {
    Stage stage;
    Link &l = stage.connect();
    l.tcp.ends[0].segments = l.tcp.ends[1].segments = 1; // both directions are there
    l.login(0ms, login_of("iqn.t"));
    const auto nop_out = [](std::uint32_t itt, std::uint32_t ttt) {
        NopOut n;
        n.immediate = true;
        n.initiator_task_tag = InitiatorTaskTag{itt};
        n.target_transfer_tag = TargetTransferTag{ttt};
        return n.encode();
    };
    const auto nop_in = [](std::uint32_t itt, std::uint32_t ttt) {
        NopIn n;
        n.initiator_task_tag = InitiatorTaskTag{itt};
        n.target_transfer_tag = TargetTransferTag{ttt};
        n.max_cmd_sn = CmdSn{100};
        return n.encode();
    };
    constexpr std::uint32_t none = 0xffffffff;
    l.send(1ms, to_target, read_command(1, 1, 4096));
    l.send(2ms, to_initiator, data_in(1, 0, 4096, true));
    l.send(10ms, to_target, nop_out(50, none)); // idle
    l.send(13ms, to_initiator, nop_in(50, none));
    l.send(20ms, to_target, read_command(2, 2, 8192));
    l.send(21ms, to_target, read_command(3, 3, 8192));
    l.send(22ms, to_target, nop_out(51, none)); // two commands of 8 KiB outstanding
    l.send(30ms, to_initiator, data_in(2, 0, 8192, true));
    l.send(31ms, to_initiator, data_in(3, 0, 8192, true));
    l.send(42ms, to_initiator, nop_in(51, none));
    l.send(50ms, to_initiator, nop_in(none, 9)); // the target asks
    l.send(51ms, to_target, nop_out(none, 9));
    l.send(60ms, to_target, nop_out(52, none));   // no answer
    l.send(4500ms, to_target, nop_out(53, none)); // nor had this one time for any
    const SessionFigures f = stage.end(5000ms);
    REQUIRE(f.nops.size() == 1);
    const NopFigures &n = f.nops[0];
    CHECK(n.asked_by_initiator == 4);
    CHECK(n.asked_by_target == 1);
    CHECK(n.unanswered == 1);
    CHECK(n.not_known == 1);
    CHECK(n.idle_round_trip.quantile(0.5) == to_ns(Duration{3ms}));
    CHECK(n.loaded_round_trip.quantile(0.5) == to_ns(Duration{20ms}));
    CHECK(n.round_trip_of_target.quantile(0.5) == to_ns(Duration{1ms}));
    REQUIRE(n.rows.size() == 4);
    CHECK(n.rows[1].commands == 2);
    CHECK(n.rows[1].bytes == 16384);
    CHECK_FALSE(n.rows[3].round_trip);
}

TEST_CASE("a ping whose answer may lie in what could not be read is not one without an answer") {
    enum class Lost { nothing, before, behind, other_direction };
    const Lost lost = GENERATE(Lost::nothing, Lost::before, Lost::behind, Lost::other_direction);
    Stage stage;
    Link &l = stage.connect();
    l.login(0ms, login_of("iqn.t"));
    if (lost == Lost::other_direction)
        l.tcp.ends[1].seen = false;
    l.tcp.ends[1].segments = lost == Lost::other_direction ? 0 : 1;
    const auto anomaly = [&](AnomalyKind kind) {
        stage.analysis.on(Anomaly{.kind = kind, .frame = 1, .stream = l.tcp.stream, .detail = 0});
    };
    l.send(1ms, to_target, read_command(1, 1, 4096));
    NopOut n;
    n.immediate = true;
    n.initiator_task_tag = InitiatorTaskTag{50};
    if (lost == Lost::before)
        anomaly(AnomalyKind::sync_lost); // and never found again
    l.send(10ms, to_target, n.encode());
    if (lost == Lost::behind) {
        anomaly(AnomalyKind::sync_lost);
        anomaly(AnomalyKind::resync);
    }
    const SessionFigures f = stage.end(5000ms);
    REQUIRE(f.nops.size() == 1);
    CHECK(f.nops[0].unanswered == (lost == Lost::nothing ? 1 : 0));
    CHECK(f.nops[0].not_known == (lost == Lost::nothing ? 0 : 1));
    CHECK(f.nops[0].rows.size() == f.nops[0].unanswered);
}

TEST_CASE("logins: stages, tries, redirections, time from the SYN") {
    Stage stage;
    Link &refused = stage.connect(1, 2, 0ms), &accepted = stage.connect(1, 2, 100ms);
    Login no = login_of("iqn.t");
    no.accepted = false;
    no.status_class = 2;
    no.status_detail = 1;
    no.start = no.end = at(10ms);
    stage.engine.on_login(refused.tcp, no);
    LoginRequest request;
    request.transit = true;
    request.current_stage = LoginStage::operational;
    request.next_stage = LoginStage::full_feature;
    LoginResponse answer;
    answer.transit = true;
    answer.current_stage = LoginStage::operational;
    answer.next_stage = LoginStage::full_feature;
    accepted.send(102ms, to_target, request.encode());
    accepted.send(109ms, to_initiator, answer.encode());
    accepted.login(109ms, login_of("iqn.t"));
    const SessionFigures f = stage.end(1s);
    REQUIRE(f.logins.logins.size() == 2);
    CHECK(f.logins.refused == 1);
    CHECK(f.logins.accepted == 1);
    const LoginFigures &l = f.logins.logins[1].login.accepted ? f.logins.logins[1] : f.logins.logins[0];
    CHECK(l.attempt == 2);
    CHECK(to_ns(l.waiting_for_target) == to_ns(Duration{7ms}));
    REQUIRE(l.from_syn);
    CHECK(to_ns(*l.from_syn) == to_ns(Duration{9ms}));
}

TEST_CASE("rules: each broken once is counted once, and kept ones are not") {
    const bool known = GENERATE(true, false); // false: the login's text is cut
    Stage stage;
    auto [a, b] = pair_of(stage);
    {
        Login l = login_of("iqn.t", 9, 0, 20, 0);
        l.target_name = "iqn.u";
        OperationalParameters &k = l.keys.parameters;
        k.initial_r2t = true;
        k.immediate_data = false;
        k.max_burst_length = 16384;
        k.first_burst_length = 4096;
        k.max_recv_data_segment_length_initiator = 8192;
        k.max_recv_data_segment_length_target = 8192;
        if (!known)
            l.keys.known = {};
        Link &c = stage.connect(1, 5);
        c.login(2ms, l);
        std::uint32_t sn = 100;
        const auto status = [&](const HeaderBytes &h) { return with_stat_sn(h, sn++); };
        // Kept: two sequences of 16 KiB in order.
        c.send(10ms, to_target, read_command(1, 1, 32768));
        for (std::uint32_t i = 0; i < 4; ++i) {
            HeaderBytes d = with_offset(data_in(1, i, 8192, i == 3), i * 8192);
            if (i == 1)
                d[1] |= std::byte{0x80};
            c.send(11ms + i * 1ms, to_initiator, i == 3 ? status(d) : d);
        }
        CHECK(sn == 101);
        // Broken: a Data-In sequence of 24 KiB; a segment of 12 KiB for an end that takes 8; out of order.
        c.send(20ms, to_target, read_command(2, 2, 36864));
        for (std::uint32_t i = 0; i < 3; ++i)
            c.send(21ms + i * 1ms, to_initiator, with_offset(data_in(2, i, 8192, false), i * 8192));
        HeaderBytes last = with_offset(data_in(2, 3, 12288, true), 4096);
        ++sn; // a StatSN left out
        c.send(25ms, to_initiator, status(last));
        // Writes: immediate data though not allowed, unsolicited data though not allowed, beyond
        // FirstBurstLength.
        c.send(30ms, to_target, write_command(3, 3, 16384, 4096, false));
        c.send(31ms, to_target, with_offset(data_out(3, 0xffffffff, 0, 4096, true), 4096));
        // R2Ts: two open at once, the second for more than MaxBurstLength.
        c.send(32ms, to_initiator, r2t(3, 70, 0, 8192, 4096));
        c.send(33ms, to_initiator, r2t(3, 71, 1, 12288, 20480));
        c.send(34ms, to_target, with_offset(data_out(3, 70, 0, 4096, true), 8192));
        c.send(35ms, to_target, with_offset(data_out(3, 71, 0, 4096, true), 12288));
        c.send(36ms, to_initiator, status(response(3)));
    }
    // The answer to a task of one connection on the other.
    a->send(40ms, to_target, read_command(7, 1, 512));
    b->send(41ms, to_initiator, data_in(7, 0, 512, true));
    const SessionFigures f = stage.end(1s);
    const std::map<Rule, std::uint64_t> broken{
        {Rule::max_burst_length_in, 1}, {Rule::max_recv_to_initiator, 1}, {Rule::data_offset_order, 1},
        {Rule::stat_sn_gap, 1},         {Rule::immediate_not_allowed, 1}, {Rule::unsolicited_not_allowed, 1},
        {Rule::first_burst_length, 1},  {Rule::max_outstanding_r2t, 1},   {Rule::max_burst_length_out, 1},
        {Rule::allegiance, 1},          {Rule::max_recv_to_target, 0},    {Rule::beyond_r2t, 0},
        {Rule::command_window, 0}};
    for (const auto &[rule, count] : broken) {
        INFO(name(rule));
        const bool of_numbers = rule == Rule::stat_sn_gap || rule == Rule::allegiance ||
                                rule == Rule::beyond_r2t || rule == Rule::command_window;
        if (known || of_numbers) {
            CHECK(row(f, rule).broken == count);
            CHECK(row(f, rule).checked > 0);
            CHECK(row(f, rule).first_frames.size() == count);
        } else {
            CHECK(row(f, rule).broken == 0); // no default stands in for what is not known
        }
    }
}
