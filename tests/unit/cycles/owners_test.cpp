// SPDX-License-Identifier: GPL-2.0-or-later
// docs/figures.md, "Whose time it is": the owners of busy time, worked out by hand at both ends of a path.
#include "catch.h"

#include "analyzer/cycles/ledger/gap_owner.h"
#include "analyzer/cycles/tasks/command_hole.h"
#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

Link &tap(Scene &scene, Duration to_initiator, Duration to_target) {
    Link &link = scene.connect();
    link.tcp.ends[0].rtt.minimum = to_initiator;
    link.tcp.ends[1].rtt.minimum = to_target;
    return link;
}

void check(const Scene &scene, Duration network, Duration target, Duration host) {
    const ConnectionRecord &c = scene.sink.connections.at(0);
    CHECK(c.owners[Owner::network] == network);
    CHECK(c.owners[Owner::target] == target);
    CHECK(c.owners[Owner::host] == host);
    CHECK(c.owners[Owner::transfer] == Duration{});
    CHECK(c.owners[Owner::unknown] == Duration{});
    CHECK(c.owners.sum() == c.busy());
}

} // namespace

TEST_CASE("one Read at a time: the path is the network's, at either end") {
    Scene at_initiator, at_target;
    Link &near = tap(at_initiator, 0ms, 10ms);
    Link &far = tap(at_target, 10ms, 0ms);
    for (std::uint32_t n = 0; n < 4; ++n) { // 12 ms each, of which 2 are the target's
        near.send(n * 12ms, to_target, read_command(n, n, 512));
        near.send(n * 12ms + 12ms, to_initiator, data_in(n, 0, 512, true));
        far.send(n * 12ms + 5ms, to_target, read_command(n, n, 512));
        far.send(n * 12ms + 7ms, to_initiator, data_in(n, 0, 512, true));
    }
    at_initiator.close_all(1s);
    at_target.close_all(1s);
    check(at_initiator, 40ms, 8ms, 0ms);
    check(at_target, 30ms, 8ms, 0ms); // the way of the first command and of the last status did not pass
    for (const GapRecord &gap : at_initiator.sink.gaps) {
        if (gap.kind == GapKind::target_first_data) {
            CHECK(gap.path == Duration{10ms});
            CHECK(gap.end_part == Duration{2ms});
            CHECK(gap.end_owner == Owner::target);
        }
    }
}

TEST_CASE("with several tasks open the target owns the time in which it has any of them") {
    Scene scene;
    Link &link = tap(scene, 0ms, 10ms);
    link.send(0ms, to_target, read_command(1, 1, 512));
    link.send(2ms, to_target, read_command(2, 2, 512));
    link.send(30ms, to_initiator, data_in(1, 0, 512, true));
    link.send(32ms, to_initiator, data_in(2, 0, 512, true)); // outstanding since 12 ms
    scene.close_all(1s);
    check(scene, 10ms, 22ms, 0ms);
}

TEST_CASE("a Write waits for the target, then for the host, then for the target") {
    Scene scene;
    Link &link = tap(scene, 4ms, 6ms);
    link.send(0ms, to_target, write_command(1, 1, 512));
    link.send(8ms, to_initiator, r2t(1, 7, 0, 0, 512));       // 6 ms of the way, 2 of the target
    link.send(15ms, to_target, data_out(1, 7, 0, 512, true)); // 4 ms of the way, 3 of the host
    link.send(24ms, to_initiator, response(1));               // 6 ms of the way, 3 of the target
    scene.close_all(1s);
    check(scene, 16ms, 5ms, 3ms);
}

TEST_CASE("a command behind one that was never sent awaits the host") {
    CommandHole hole;
    hole.opened(CmdSn{2}, CmdSn{5}); // 2, 3 and 4 are left out
    CHECK(hole.first() == CmdSn{2});
    hole.sent_late(CmdSn{2}, at(1s));
    CHECK(hole.first() == CmdSn{3});
    hole.opened(CmdSn{6}, CmdSn{9});
    hole.sent_late(CmdSn{1}, at(1s));
    CHECK(hole.first() == CmdSn{3});
    CommandHole other = hole;
    other.sent_late(CmdSn{4}, at(1s));
    CHECK_FALSE(other.first().has_value());
    hole.sent_late(CmdSn{3}, at(1s));
    hole.sent_late(CmdSn{4}, at(1s));
    CHECK_FALSE(hole.first().has_value());

    const auto time = [](std::uint32_t left_out, PduDirection unseen) {
        Scene scene;
        Link &link = tap(scene, 0ms, 10ms);
        Login login;
        login.session_type = "Normal";
        link.login(0ms, login);
        link.send(20ms, to_target, read_command(1, 1, 512));
        link.send(32ms, to_initiator, data_in(1, 0, 512, true));
        if (unseen == to_target)
            link.tcp.ends[0].unseen_bytes = 48;
        link.send(32ms, to_target, read_command(2, 2 + left_out, 512));
        link.send(82ms, to_target, read_command(3, 2, 512));
        link.send(94ms, to_initiator, data_in(3, 0, 512, true));
        link.send(94ms, to_initiator, data_in(2, 0, 512, true));
        scene.close_all(1s);
        return scene.sink.connections.at(0).owners;
    };
    const OwnerTimes host = time(1, to_initiator), target = time(0, to_initiator), lost = time(1, to_target);
    CHECK(host[Owner::host] == Duration{50ms});
    CHECK(host[Owner::target] == Duration{2ms + 2ms}); // the second 2 ms of both tasks
    CHECK(target[Owner::host] == Duration{});
    CHECK(target[Owner::target] > Duration{40ms});
    CHECK(lost[Owner::host] == Duration{}); // the capture lacks bytes: the command may have been in them
}

TEST_CASE("what was lost behind the tap, or stood behind such a hole, arrives with the repeat") {
    RepeatedFrom sent;
    CHECK(sent.arrived(at(5ms)) == at(5ms));
    sent.repeated(at(4ms), at(210ms)); // a segment that passed at 4 ms
    CHECK(sent.arrived(at(3ms)) == at(3ms));
    CHECK(sent.arrived(at(4ms)) == at(210ms));
    CHECK(sent.arrived(at(20ms)) == at(210ms)); // sent behind it
    CHECK(sent.arrived(at(210ms)) == at(210ms));
    sent.repeated(at(15ms), at(400ms)); // a second hole
    CHECK(sent.arrived(at(10ms)) == at(210ms));
    CHECK(sent.arrived(at(20ms)) == at(400ms));
    CHECK(sent.arrived(at(300ms)) == at(400ms));
}

TEST_CASE("between two tasks the way is busy, and the rest is nobody's") {
    Scene scene;
    Link &link = tap(scene, 4ms, 0ms);
    link.send(0ms, to_target, read_command(1, 1, 512));
    link.send(3ms, to_initiator, data_in(1, 0, 512, true));
    link.send(50ms, to_target, NopOut{}.encode());
    link.send(100ms, to_target, read_command(2, 2, 512));
    link.send(103ms, to_initiator, data_in(2, 0, 512, true));
    scene.close_all(1s);
    check(scene, 4ms, 6ms, 0ms);
    CHECK(scene.sink.connections.at(0).without_task == Duration{93ms});
    Duration without_task{};
    for (const GapRecord &gap : scene.sink.gaps)
        without_task += gap.in_active_life ? gap.without_task : Duration{};
    CHECK(without_task == Duration{93ms});
}

TEST_CASE("a status sent again makes the gaps before its repeat busy") {
    Scene scene;
    Link &link = tap(scene, 2ms, 3ms);
    link.send(0ms, to_target, read_command(1, 1, 512));
    link.send(10ms, to_initiator, data_in(1, 0, 512, true));
    link.send(50ms, to_initiator, NopIn{}.encode());
    link.repeat(100ms, to_initiator, 0, 48 + 512); // it had not arrived
    link.send(150ms, to_target, read_command(2, 2, 512));
    link.send(160ms, to_initiator, data_in(2, 0, 512, true));
    scene.close_all(1s);
    const ConnectionRecord &c = scene.sink.connections.at(0);
    CHECK(c.without_task == Duration{48ms});
    Duration without_task{}, owned{};
    for (const GapRecord &gap : scene.sink.gaps)
        without_task += gap.in_active_life ? gap.without_task : Duration{};
    CHECK(without_task == Duration{48ms});
    for (const LedgerEntry &r : scene.sink.owned)
        owned += r.length;
    CHECK(owned == c.busy());
}

TEST_CASE("without a round trip to the target its part is not known") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[0].rtt.minimum = Duration{4ms};
    link.send(0ms, to_target, read_command(1, 1, 512));
    link.send(10ms, to_initiator, data_in(1, 0, 512, true));
    scene.close_all(1s);
    CHECK(scene.sink.connections.at(0).owners[Owner::unknown] == Duration{10ms});
}

TEST_CASE("the parts of a gap follow its kind") {
    GapRecord gap;
    gap.length = 30ms;
    gap.rtt_to_awaited = 4ms;
    gap.rtt_to_other = 6ms;
    WaitParts parts;
    parts.length = 30ms;
    parts.counted = parts.open = parts.tap_rtt_known = true;
    parts.at_target = 12ms;
    parts.at_host = 7ms;
    const auto part = [&](GapKind kind, bool sent_by_target) {
        gap.kind = kind;
        const EndPart p = end_part(gap, parts, sent_by_target);
        return std::pair(p.owner, p.length);
    };
    CHECK(part(GapKind::target_status, true) == std::pair(Owner::target, Duration{12ms}));
    CHECK(part(GapKind::initiator_burst, false) == std::pair(Owner::host, Duration{7ms}));
    CHECK(part(GapKind::retransmission_timeout, true) == std::pair(Owner::network, Duration{}));
    CHECK(part(GapKind::window_closed, true) == std::pair(Owner::host, Duration{20ms})); // the receiver
    CHECK(part(GapKind::delayed_ack, false) == std::pair(Owner::target, Duration{20ms}));
    CHECK(part(GapKind::ack_held_data, true) == std::pair(Owner::target, Duration{20ms}));
    CHECK(part(GapKind::capture_loss, true) == std::pair(Owner::unknown, Duration{30ms}));
    CHECK(part(GapKind::initiator_pause, false) == std::pair(Owner::host, Duration{7ms}));
    parts.oldest_awaits_target = true;
    CHECK(part(GapKind::initiator_pause, false) == std::pair(Owner::target, Duration{12ms}));
    parts.held_by_tcp = true;
    CHECK(part(GapKind::target_data, true) == std::pair(Owner::target, Duration{}));
    CHECK(part(GapKind::unclassified, true) == std::pair(Owner::unknown, Duration{30ms}));
    parts.repaired = true;
    CHECK(part(GapKind::unclassified, true) == std::pair(Owner::network, Duration{}));
}

TEST_CASE("of a wait in front of which PDUs were not known the awaited end has all but a round trip") {
    GapRecord gap;
    gap.length = 30ms;
    gap.rtt_to_awaited = 4ms;
    WaitParts parts;
    parts.length = 30ms;
    parts.counted = parts.open = parts.tap_rtt_known = true;
    parts.pdus_unknown = true; // and so at_target is not known
    const auto part = [&](GapKind kind, bool sent_by_target) {
        gap.kind = kind;
        const EndPart p = end_part(gap, parts, sent_by_target);
        return std::pair(p.owner, p.length);
    };
    CHECK(part(GapKind::target_status, true) == std::pair(Owner::target, Duration{26ms}));
    CHECK(part(GapKind::initiator_data, false) == std::pair(Owner::host, Duration{26ms}));
    CHECK(part(GapKind::initiator_pause, false) == std::pair(Owner::unknown, Duration{30ms}));
    parts.open = false; // a task may have been
    CHECK(part(GapKind::target_status, true) == std::pair(Owner::target, Duration{26ms}));
    CHECK(part(GapKind::unclassified, true) == std::pair(Owner::unknown, Duration{30ms}));
    gap.rtt_to_awaited.reset();
    CHECK(part(GapKind::target_status, true) == std::pair(Owner::unknown, Duration{30ms}));
}

TEST_CASE("a small segment sent before an ACK can have reached its sender shows that no Nagle holds it") {
    Scene scene;
    Link &link = tap(scene, 0ms, 10ms);
    link.tcp.ends[0].mss = 1460;
    for (std::uint32_t n = 0; n < 12; n += 2) {
        const Duration from = n * 10ms;
        link.send(from, to_target, test_unit_ready(n, n));
        link.send(from, to_target, test_unit_ready(n + 1, n + 1));
        link.send(from + 11ms, to_initiator, response(n));     // 10 ms of the way, 1 of the target
        link.acknowledge(from + 11ms, to_target);              // there 5 ms later, and seen here after 10
        link.send(from + 13ms, to_initiator, response(n + 1)); // 2 ms of the target
    }
    scene.close_all(1s);
    check(scene, 6 * 10ms, 6 * 3ms, 0ms);
}

TEST_CASE("an answer to the command that carried the ACK shows nothing of Nagle's algorithm") {
    Scene scene;
    Link &link = tap(scene, 0ms, 10ms);
    link.tcp.ends[0].mss = 1460;
    for (std::uint32_t n = 0; n < 6; ++n) {
        link.send(n * 20ms, to_target, test_unit_ready(n, n)); // acknowledges the status before
        link.send(n * 20ms + 10ms + 100us, to_initiator, response(n));
    }
    link.send(120ms, to_target, read_command(6, 6, 512));
    link.send(120ms, to_target, test_unit_ready(7, 7));
    link.send(131ms, to_initiator, response(7));              // 10 ms of the way, 1 of the target
    link.send(160ms, to_initiator, data_in(6, 0, 512, true)); // 29 ms of the target, whatever is acknowledged
    scene.close_all(1s);
    check(scene, 7 * 10ms, 6 * 100us + 30ms, 0ms);
}

TEST_CASE(
    "Nagle's algorithm is seen by answers that were due before the ACK, and left at once when it came") {
    Scene scene;
    Link &link = tap(scene, 0ms, 10ms);
    link.tcp.ends[0].mss = 1460;
    Duration t = 11ms;
    link.send(0ms, to_target, test_unit_ready(0, 0));
    link.send(0ms, to_target, test_unit_ready(1, 1));
    for (std::uint32_t n = 0; n < 8; ++n) { // two commands at a time
        link.send(t, to_initiator, response(n));
        if (n + 2 < 8) // with the ACK, for which the next status waits
            link.send(t + 100us, to_target, test_unit_ready(n + 2, n + 2));
        else
            link.acknowledge(t + 100us, to_target);
        t += 10ms + 200us;
    }
    scene.close_all(1s);
    // To status 0: 10 ms of the way, 1 of the target. To 1, 2, 3 and 4, which show it: 10.2 ms of the target
    // each. To 5 and 6: 10.2 ms for the ACK each. To 7, with no command since 6: 10 ms of the way, 0.2 of the
    // target.
    check(scene, 10ms + 2 * 10200us + 10ms, 1ms + 4 * 10200us + 200us, 0ms);
}

TEST_CASE("a capture that lacks an ACK does not hide Nagle's algorithm") {
    const bool lacks_one = GENERATE(false, true);
    Scene scene;
    Link &link = tap(scene, 0ms, 10ms);
    link.tcp.ends[0].mss = 1460;
    link.acknowledges = false; // by ACKs of their own
    Duration t = 11ms;
    std::uint32_t sent = 0;
    for (; sent < 2; ++sent)
        link.send(0ms, to_target, test_unit_ready(sent, sent));
    for (std::uint32_t n = 0; n < 80; ++n) {
        link.send(t, to_initiator, response(n));
        if (!lacks_one || n != 30)
            link.acknowledge(t + 100us, to_target);
        link.send(t + 100us, to_target, test_unit_ready(sent, sent));
        ++sent;
        t += 10ms + 200us;
    }
    scene.close_all(1s);
    const OwnerTimes &owners = scene.sink.connections.at(0).owners;
    CHECK(owners[Owner::network] > owners[Owner::target]); // the waits for the ACKs, but for the first few
}

TEST_CASE("frames that do not fill a segment show no rate: waits inside a run are their sender's") {
    Scene scene;
    Link &link = tap(scene, 0us, 40us);
    for (std::uint32_t n = 0; n < 8; n += 2) { // statuses 60 us apart are no train
        const Duration from = n * 100us;
        link.send(from, to_target, test_unit_ready(n, n));
        link.send(from, to_target, test_unit_ready(n + 1, n + 1));
        link.send(from + 90us, to_initiator, response(n));      // 40 us of the way, 50 of the target
        link.send(from + 150us, to_initiator, response(n + 1)); // 60 us of the target
    }
    scene.close_all(1s);
    check(scene, 4 * 40us, 4 * 110us, 0us);
}

TEST_CASE(
    "behind a full segment bytes pass at the pace of the link, behind a smaller one at their sender's") {
    Scene scene;
    Link &link = tap(scene, 0us, 20us);
    link.send(0us, to_target, read_command(1, 1, 4096));
    link.begin(50us, to_initiator, data_in(1, 0, 4096)); // 20 us of the way, 30 of the target
    link.more(60us, to_initiator, 1448);                 // 48 bytes before: 10 us of the target
    link.more(72us, to_initiator, 1448);                 // 12 us for 1448 bytes, like the next
    link.more(82us, to_initiator, 1200);
    link.send(152us, to_target, read_command(2, 2, 512)); // 70 us of the target
    link.send(202us, to_initiator, response(1));          // 50 us of it, less what 48 bytes need
    scene.close_all(1s);
    const OwnerTimes &owners = scene.sink.connections.at(0).owners;
    CHECK(owners[Owner::transfer] >= Duration{22us});
    CHECK(owners[Owner::transfer] < Duration{23us});
    CHECK(owners[Owner::network] == Duration{20us});
    CHECK(owners[Owner::target] == 202us - owners[Owner::transfer] - 20us);
}

TEST_CASE("a PDU smaller than the MSS is no full segment, however large") {
    Scene scene;
    Link &link = tap(scene, 0us, 20us);
    link.tcp.ends[0].mss = link.tcp.ends[1].mss = 8960;
    link.send(0us, to_target, read_command(1, 1, 8192));
    link.send(60us, to_initiator, data_in(1, 0, 8192)); // 20 us of the way, 40 of the target
    link.send(150us, to_initiator, response(1));        // 90 us of the target
    scene.close_all(1s);
    check(scene, 20us, 130us, 0us);
}

TEST_CASE("the highest rate is that of the largest piece of payload seen") {
    CarriedRate rate;
    CHECK(rate.needed(1000, 5ms, false) == Duration{}); // none have followed each other at a link's pace
    CHECK(rate.needed(1000, 5ms, true) == Duration{5ms});
    rate.add(1448, 1us); // two frames that had waited together
    rate.close();
    CHECK(rate.needed(1448, 1ms, true) == Duration{1us});
    rate.add(40'000, 40us);
    rate.close();
    CHECK(rate.needed(1000, 1ms, true) == Duration{1us});
    for (int i = 0; i < 64; ++i)
        rate.add(1448, 100us);
    CHECK(rate.needed(1448, 1ms, true) == Duration{100us});
    CHECK(rate.needed(1448, 30us, true) == Duration{30us}); // it came too soon: 70 us are owed
    CHECK(rate.needed(1448, 1ms, true) == Duration{170us});
    CHECK(rate.needed(1448, 30us, true) == Duration{30us});
    rate.pause();
    CHECK(rate.needed(1448, 1ms, true) == Duration{100us});
    const auto time_of = [&](std::uint64_t bytes) {
        return HostSeen{.frames = {}, .answers = {}, .rate = rate.known()}.time_of(bytes);
    };
    CHECK(time_of(14480) == Duration{1ms});
    rate.add(70'000, 70us); // one burst behind a stall does not decide
    CHECK(time_of(14480) == Duration{1ms});
}
