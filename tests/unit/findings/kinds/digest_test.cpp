// SPDX-License-Identifier: GPL-2.0-or-later
// Which end computes digests wrongly, and where PDUs are damaged.
#include "analyzer/sessions/figures/session_figures.h"
#include "catch.h"
#include "findings/made_facts.h"
#include "findings/made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto kind = FindingKind::digest_error;

// One connection to each of these targets: right and wrong data digests of the target, and right ones of the
// initiator.
struct Counts {
    std::uint8_t target;
    std::uint64_t right, wrong, of_initiator;
};

FindingsResult judged(const std::vector<Counts> &connections, std::uint64_t damaged = 0,
                      std::uint64_t rejected = 0) {
    Facts f = one_connection();
    SessionFigures s;
    std::uint64_t wrong = 0;
    for (const Counts &c : connections) {
        DigestFigures &d = s.digests.emplace_back();
        d.initiator = host(1, 40001);
        d.target = host(c.target, 3260);
        d.of_target.data = {c.right, c.wrong, c.wrong > 0 ? OptionalFrame(9) : OptionalFrame()};
        d.of_initiator.data.right = c.of_initiator;
        wrong += c.wrong;
    }
    f.anomalies[static_cast<std::size_t>(AnomalyKind::digest_mismatch)] = wrong;
    f.anomalies[static_cast<std::size_t>(AnomalyKind::damaged_frame)] = damaged;
    if (rejected > 0) {
        f.events[{Opcode::reject, std::uint8_t{2}}].count = rejected;
        f.events[{Opcode::reject, std::uint8_t{2}}].first.resize(1);
    }
    return found(f, &s);
}

bool computes_wrongly(const FindingsResult &r) {
    return r.find(kind) != nullptr && r.find(kind)->title == "The target computes digests wrongly";
}

} // namespace

TEST_CASE("an end of whose digests none is right computes them wrongly") {
    CHECK(computes_wrongly(judged({{2, 0, 4, 10}})));
    CHECK(computes_wrongly(judged({{2, 0, 1, 0}, {2, 0, 1, 0}})));
    CHECK(computes_wrongly(judged({{2, 0, 4, 10}, {3, 50, 0, 10}}))); // another target's are right
}

TEST_CASE("digests of which some are right were damaged on their way") {
    CHECK_FALSE(computes_wrongly(judged({{2, 996, 4, 10}})));
    CHECK_FALSE(computes_wrongly(judged({{2, 0, 1, 10}})));              // one by itself
    CHECK_FALSE(computes_wrongly(judged({{2, 0, 4, 10}}, 1)));           // frames are damaged as well
    CHECK_FALSE(computes_wrongly(judged({{2, 0, 4, 5}, {3, 9, 1, 5}}))); // another end's too
    const FindingsResult r = judged({{2, 996, 4, 10}});
    CHECK(r.find(kind)->sentence.find(
              "4 of the 1,000 data digests that the target 10.0.0.2 sent are wrong.") != std::string::npos);
}

TEST_CASE("digests that are right here and rejected at the target") {
    const FindingsResult r = judged({{2, 5, 0, 10}}, 0, 1);
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->sentence.find("after this capture point") != std::string::npos);
    CHECK(r.find(kind)->remedy.find("between this capture point and the target") != std::string::npos);
}
