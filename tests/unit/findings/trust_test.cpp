// SPDX-License-Identifier: GPL-2.0-or-later
// What stands before all lost time: a capture that puts the rest in doubt, and failures.
#include "catch.h"
#include "made_facts.h"

#include <optional>

using namespace iscsiscope;
using namespace iscsiscope::made;

TEST_CASE("how far a capture can be trusted") {
    Facts facts = one_connection();
    ConnectionRecord &r = facts.connections[0].record;
    r.bytes_to_target = 1000;
    r.bytes_to_initiator = 9000;
    r.segments_to_target = r.segments_to_initiator = 10;
    FindingsInput in;
    in.facts = &facts;
    in.capture.coverage.stream_bytes = 10000;
    const auto judged = [&] {
        const FindingsResult result = made::manner_checked(find_causes(in));
        const Finding *f = result.find(FindingKind::capture_quality);
        return f != nullptr ? std::optional<Finding>(*f) : std::nullopt;
    };
    CHECK_FALSE(judged());
    in.capture.coverage.cut_bytes = 5000; // but no header of a PDU
    CHECK_FALSE(judged());
    in.capture.coverage.skipped_bytes = 50; // the capture begins within a PDU
    CHECK_FALSE(judged());

    in.capture.coverage.resyncs = 3; // headers were cut off
    REQUIRE(judged());
    CHECK(judged()->severity == Severity::notice);
    in.capture.coverage.skipped_bytes = 9000;
    facts.outcomes[static_cast<std::size_t>(TaskOutcome::connection_lost)].count = 5; // a failure, if true
    CHECK(judged()->severity == Severity::problem);
    CHECK(judged()->sentence.find("9.00 kB (90 %) had to be skipped") != std::string::npos);
    CHECK(judged()->remedy.find("-s 0") != std::string::npos);
    CHECK(find_causes(in).findings.front().kind == FindingKind::capture_quality);

    in.capture.coverage.resyncs = 0; // no header was found behind the first one that was cut off
    CHECK_FALSE(judged());
    facts.first_anomalies[static_cast<std::size_t>(AnomalyKind::sync_lost)].push_back({});
    REQUIRE(judged());
    CHECK(judged()->sentence.find("which was not found again") != std::string::npos);
    facts.first_anomalies[static_cast<std::size_t>(AnomalyKind::sync_lost)].clear();

    in.capture.coverage = {};
    r.bytes_to_target = 0;
    r.segments_to_target = 0;
    r.unseen_to_target = 27000; // of 36,000 that passed
    REQUIRE(judged());
    CHECK(judged()->severity == Severity::problem);
    CHECK(judged()->sentence.find("27.0 kB (75 %)") != std::string::npos);
    CHECK(find_causes(in).findings.front().kind == FindingKind::capture_quality);
}

TEST_CASE("failures stand before lost time") {
    Facts f = one_connection();
    wait(f, waits::round_trip, 10ms, 60);
    f.anomalies[static_cast<std::size_t>(AnomalyKind::digest_mismatch)] = 1;
    f.first_anomalies[static_cast<std::size_t>(AnomalyKind::digest_mismatch)].push_back(
        {AnomalyKind::digest_mismatch, 42, StreamId{0}, 0});
    const FindingsResult r = found(f);
    CHECK(r.findings[0].kind == FindingKind::digest_error);
    CHECK(r.findings[0].evidence[0].frame == 42);
    CHECK(r.findings[1].kind == FindingKind::queue_depth);
}

TEST_CASE("commands that fail") {
    Facts f = one_connection();
    f.senses[0x052400] = {4, 0, 20, 0}; // inquiry pages that are not there
    CHECK(found(f).find(FindingKind::command_errors) == nullptr);
    f.senses[0x031100] = {2, 2, 30, 0}; // unrecovered read error
    REQUIRE(found(f).find(FindingKind::command_errors) != nullptr);
    CHECK(found(f).findings[0].severity == Severity::problem);
    Facts locked = one_connection();
    locked.outcomes[static_cast<std::size_t>(TaskOutcome::reservation_conflict)] = {6, 6, 3, 4, 1ms};
    CHECK(found(locked).findings[0].kind == FindingKind::access_trouble);
}
