// SPDX-License-Identifier: GPL-2.0-or-later
// LUNs that change hands, and states of paths that last.
#include "catch.h"

#include "analyzer/findings/rules/rule.h"
#include "made_work.h"

#include <string>

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

using Kind = FindingKind;

} // namespace

TEST_CASE("a transition in one piece") {
    Work w;
    w.facts().outcomes[static_cast<std::size_t>(TaskOutcome::check_condition)].count = 10;
    w.good(read10, 5);
    w.step = 500ms;
    w.check(read10, 0x062a06);
    w.check(read10, transition, 9);
    w.step = 10ms;
    w.good(read10, 5);
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::access_trouble);
    REQUIRE(f != nullptr);
    CHECK(f->title == "ALUA transition: LUN 0 refused commands for 5.00 s");
    CHECK(holds(f->sentence, "LUN 0 refused 10 commands for 5.00 s in one piece"));
    CHECK(holds(f->sentence, "then it answered again"));
    CHECK(figure(*f, "longest_transition") == Approx(5e9));
}

TEST_CASE("a transition during which another path serves") {
    Work w;
    w.host_of(0, 10, 20);
    w.host_of(1, 10, 21);
    w.good(read10, 5);
    w.step = 1s;
    w.check(read10, transition, 9);
    w.session = 1;
    w.good(read10, 5);
    const FindingsResult r = w.result();
    REQUIRE(r.find(Kind::access_trouble) != nullptr);
    CHECK(holds(r.find(Kind::access_trouble)->sentence,
                "; the LUN served commands at 10.0.0.21:3260 meanwhile or afterwards."));
}

TEST_CASE("ports that take a LUN from each other by their states") {
    Work w;
    w.host_of(0, 10, 20);
    w.host_of(1, 11, 21);
    for (int i = 0; i < 6; ++i) {
        w.session = static_cast<std::uint64_t>(i % 2);
        w.check(write10, transition, 3);
        w.good(write10, 20);
    }
    const FindingsResult r = w.result();
    REQUIRE(r.find(Kind::access_trouble) != nullptr);
    CHECK(r.find(Kind::access_trouble)->title == "Two gateways take LUN 0 from each other (ALUA)");
    CHECK(holds(r.find(Kind::access_trouble)->sentence, "with the state of their path (12 in all)"));
}

TEST_CASE("a pause of the host is no part of a transition") {
    Work w;
    w.check(read10, transition);
    w.step = 100s;
    w.good(inquiry_code); // answered in every state
    w.step = 10ms;
    w.check(read10, transition);
    w.good(read10);
    CHECK(figure(*w.result().find(Kind::access_trouble), "longest_transition") == Approx(10e6));
}

TEST_CASE("two gateways that take a LUN from each other") {
    Work w;
    w.host_of(0, 10, 20);
    w.host_of(1, 11, 21);
    for (int i = 0; i < 8; ++i) {
        w.session = static_cast<std::uint64_t>(i % 2);
        for (int k = 0; k < 4; ++k)
            w.command(write10, TaskOutcome::busy);
        w.response = 300ms;
        w.step = 310ms;
        w.good(write10);
        w.response = 1ms;
        w.step = 10ms;
        w.good(write10, 20);
    }
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::access_trouble);
    REQUIRE(f != nullptr);
    CHECK(f->title == "Two gateways take LUN 0 from each other (BUSY)");
    CHECK(holds(f->sentence,
                "LUN 0 changed hands 6 times between 10.0.0.10 at portal 10.0.0.20:3260 and 10.0.0.11 at "
                "portal 10.0.0.21:3260"));
    CHECK(holds(f->sentence, "BUSY (24 in all), and the first command served took up to 300 ms."));
}

TEST_CASE("new sessions have lost nothing") {
    Work w;
    for (std::uint64_t i = 0; i < 6; ++i) {
        w.host_of(i, static_cast<std::uint8_t>(10 + i), 20);
        w.session = i;
        w.command(write10, TaskOutcome::busy);
        w.good(write10, 5);
    }
    CHECK(w.result().find(Kind::access_trouble) == nullptr);
}

TEST_CASE("a target that is merely busy serves both hosts") {
    Work w;
    w.host_of(0, 10, 20);
    w.host_of(1, 11, 20);
    for (int i = 0; i < 20; ++i) {
        w.session = 0;
        w.good(write10);
        w.session = 1;
        w.good(write10);
        w.session = static_cast<std::uint64_t>(i % 2);
        w.command(write10, TaskOutcome::busy);
    }
    CHECK(w.result().find(Kind::access_trouble) == nullptr);
}
