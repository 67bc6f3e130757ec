// SPDX-License-Identifier: GPL-2.0-or-later
// Portals that refuse or do not answer, and connection attempts of which that must not be said.
#include "catch.h"
#include "made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto kind = FindingKind::portal_unreachable;
const Endpoint portal = host(2, 3260), other_portal = host(3, 3260);

Endpoint initiator(int n) {
    return host(1, static_cast<std::uint16_t>(40000 + n));
}

// Anything else of the portals' hosts, so that the capture holds both directions.
void both_directions(Wire &wire, Duration when) {
    for (const std::uint8_t last : {std::uint8_t{2}, std::uint8_t{3}}) {
        wire.syn(when, initiator(900 + last), host(last, 22));
        wire.accept(when + 1ms, initiator(900 + last), host(last, 22));
    }
}

} // namespace

TEST_CASE("a portal that refuses each attempt") {
    Wire wire;
    FrameNumber first_syn = 0, first_rst = 0, last_syn = 0;
    for (int i = 0; i < 15; ++i) {
        last_syn = wire.syn(i * 4s, initiator(i), portal);
        const FrameNumber rst = wire.refuse(i * 4s + 2ms, initiator(i), portal);
        first_syn = i == 0 ? last_syn : first_syn;
        first_rst = i == 0 ? rst : first_rst;
    }
    const FindingsResult r = wire.result();
    REQUIRE(!r.findings.empty());
    const Finding &f = r.findings[0];
    CHECK(f.kind == kind);
    CHECK(f.severity == Severity::problem);
    CHECK(is_failure(f));
    CHECK(f.sentence.find("10.0.0.2:3260") != std::string::npos);
    CHECK(f.sentence.find("56.0 s") != std::string::npos);
    REQUIRE(f.evidence.size() == 3);
    CHECK(f.evidence[0].frame == first_syn);
    CHECK(f.evidence[1].frame == first_rst);
    CHECK(f.evidence[2].frame == last_syn);
    CHECK(figure(f, "attempts_refused") == 15);
    CHECK(figure(f, "attempt_spacing") == Approx(4e9));
}

TEST_CASE("a portal that does not answer, though nothing of it is in the capture") {
    Wire wire;
    for (const Duration d : {0s, 1s, 3s, 7s})
        wire.syn(d, initiator(0), portal);
    const FindingsResult r = wire.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->sentence.find("did not answer 4 SYNs of 1 connection attempt within 7.00 s") !=
          std::string::npos);
    CHECK(figure(*r.find(kind), "attempts_unanswered") == 1);
}

TEST_CASE("attempts of which nothing can be said") {
    const auto one = [](std::vector<Duration> syns, Duration end, bool both) {
        Wire wire;
        if (both)
            both_directions(wire, 0s);
        for (const Duration d : syns)
            wire.syn(d, initiator(0), portal);
        wire.syn(end, initiator(99), host(9, 80)); // the capture goes on until then
        return wire.result();
    };
    // Less than the initial timeout before the end of the capture.
    CHECK(one({1s}, 1900ms, true).find(kind) == nullptr);
    CHECK(why_not(one({1s}, 1900ms, true), kind).find("whether 1 connection attempt to a portal") == 0);
    // The first was repeated, the second may be answered yet.
    CHECK(one({0s, 1s}, 1900ms, true).find(kind) == nullptr);
    CHECK(one({0s, 1s}, 2s, true).find(kind) != nullptr);
    // A second copy of the frame is no repeat.
    CHECK(one({0s, 1ms, 2ms}, 1900ms, true).find(kind) == nullptr);
    // A single SYN may have been refused by a RST that the capture does not hold.
    CHECK(one({0s}, 60s, false).find(kind) == nullptr);
    CHECK(one({0s}, 60s, true).find(kind) != nullptr);
}

TEST_CASE("a capture of one direction shows by what follows the SYN that it was answered") {
    Wire wire;
    wire.syn(0s, initiator(0), portal);
    wire.syn(1s, initiator(0), portal);
    wire.syn(3s, initiator(0), portal);
    wire.segment(3100ms, {initiator(0), portal, 1, 1}, tcp_ack);
    wire.syn(60s, initiator(99), host(9, 80));
    const FindingsResult r = wire.result();
    CHECK(r.find(kind) == nullptr);
    CHECK(why_not(r, kind) == "every connection attempt to a portal was answered: 1 of 1");
}

TEST_CASE("some attempts succeed and others do not") {
    Wire wire;
    wire.login(0s, initiator(0), portal, 0, 0);
    for (int i = 1; i < 4; ++i) {
        wire.syn(i * 1s, initiator(i), other_portal);
        wire.refuse(i * 1s + 1ms, initiator(i), other_portal);
    }
    wire.syn(5s, initiator(4), other_portal);
    wire.accept(5001ms, initiator(4), other_portal);
    wire.syn(9s, initiator(5), other_portal);
    wire.refuse(9001ms, initiator(5), other_portal);
    const FindingsResult r = wire.result();
    REQUIRE(r.find(kind) != nullptr);
    const Finding &f = *r.find(kind);
    CHECK(f.sentence.find("10.0.0.3:3260") != std::string::npos);
    CHECK(figure(f, "attempts_refused") == 4);
    // From the first until it accepted, and the last by itself.
    CHECK(figure(f, "without_connection") == Approx(4.002e9));
    CHECK(figure(f, "portals") == 1);
    CHECK(figure(f, "attempts_accepted") == 2);
    CHECK(f.nature == Nature::failure);
}

TEST_CASE("a portal that had served before stands behind what broke its sessions") {
    Wire wire;
    wire.login(0s, initiator(0), portal, 0, 0);
    for (const Duration d : {10s, 11s, 13s})
        wire.syn(d, initiator(1), portal);
    const FindingsResult r = wire.result();
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->nature == Nature::consequence);
    CHECK(r.find(kind)->sentence.find("; 1 other was accepted") != std::string::npos);
    CHECK(is_failure(*r.find(kind)));
}

TEST_CASE("what is not a portal, and what does not refuse") {
    Wire ssh;
    for (int i = 0; i < 5; ++i) {
        ssh.syn(i * 1s, initiator(i), host(2, 22));
        ssh.refuse(i * 1s + 1ms, initiator(i), host(2, 22));
    }
    const FindingsResult none = ssh.result();
    CHECK(none.find(kind) == nullptr);
    CHECK(why_not(none, kind) == "no connection attempt to a portal is in the capture");
    // A RST that does not acknowledge the SYN ends nothing: the handshake goes on.
    Wire stale;
    stale.syn(0s, initiator(0), portal);
    stale.segment(1ms, {portal, initiator(0), 0, 77}, tcp_rst | tcp_ack);
    stale.accept(2ms, initiator(0), portal);
    CHECK(why_not(stale.result(), kind) == "every connection attempt to a portal was answered: 1 of 1");
    // Another port is a portal's if the user named it, if it carried iSCSI, or if a target named it.
    const auto refused_at_4000 = [](Wire &wire) {
        wire.syn(10s, initiator(1), host(3, 4000));
        wire.refuse(10001ms, initiator(1), host(3, 4000));
        return wire.result().find(kind) != nullptr;
    };
    Wire plain, carried, named;
    EngineOptions options;
    options.iscsi.ports = {4000};
    Wire by_user(options);
    carried.login(0s, initiator(0), host(2, 4000), 0, 0);
    named.login(0s, initiator(0), portal, 1, 1, "10.0.0.3:4000,1");
    CHECK_FALSE(refused_at_4000(plain));
    CHECK(refused_at_4000(by_user));
    CHECK(refused_at_4000(carried));
    CHECK(refused_at_4000(named));
}

TEST_CASE("the tables of attempts are bounded") {
    Wire wire;
    for (int i = 0; i < 5000; ++i) // each another host that never answers
        wire.syn(i * 1ms, host(static_cast<std::uint8_t>(i % 250), static_cast<std::uint16_t>(1000 + i)),
                 host(static_cast<std::uint8_t>(i % 251), static_cast<std::uint16_t>(5000 + i)));
    wire.syn(6s, initiator(0), portal);
    wire.refuse(6001ms, initiator(0), portal);
    CHECK(wire.result().find(kind) != nullptr);
}
