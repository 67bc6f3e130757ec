// SPDX-License-Identifier: GPL-2.0-or-later
// On which connection, host, target, logical unit and type of command a cause is concentrated.
#include "catch.h"

#include "analyzer/findings/attribution/place.h"
#include "analyzer/findings/rules/where_words.h"

#include <chrono>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

constexpr TaskType reads = TaskType::read, writes = TaskType::write;

// 10.0.c.d
IpAddress address(std::uint8_t c, std::uint8_t d) {
    return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, c, d}};
}

// Connections from hosts 10.0.0.1 and on to one target, each with Reads and Writes of two logical units.
struct Bed {
    Facts facts;
    Lost lost;

    explicit Bed(std::uint8_t connections, std::uint64_t tasks = 100) {
        for (std::uint8_t i = 0; i < connections; ++i) {
            ConnectionFacts c;
            c.record.stream = StreamId{i};
            c.record.initiator = {address(0, static_cast<std::uint8_t>(i + 1)), 40001};
            c.record.target = {address(1, 1), 3260};
            for (const std::uint64_t lun : {0, 1})
                for (const TaskType t : {reads, writes})
                    c.by_lun.add({lun, t}, tasks, 1s);
            facts.connections.push_back(std::move(c));
        }
    }
    void lose(unsigned connection, std::uint64_t lun, TaskType type, std::uint64_t waits,
              Owner owner = Owner::network) {
        const Duration time = 10ms * static_cast<std::int64_t>(waits);
        lost.by_lun.push_back({StreamId{connection}, {{lun, type}, waits, time}});
        lost.waits.time += time;
        lost.owners[owner] += time;
    }
    FindingPlace place(FindingKind k = FindingKind::packet_loss) const { return place_of(k, lost, facts); }
    std::string words() const { return where_words(place(), facts); }
};

} // namespace

TEST_CASE("what is everywhere has no place") {
    Bed bed(2);
    for (const unsigned c : {0U, 1U})
        for (const std::uint64_t lun : {0, 1})
            for (const TaskType t : {reads, writes})
                bed.lose(c, lun, t, 20);
    CHECK(!bed.place().known());
    CHECK(bed.words().empty());
}

TEST_CASE("a cause on one of two connections is that connection's") {
    Bed bed(2);
    for (const std::uint64_t lun : {0, 1})
        for (const TaskType t : {reads, writes})
            bed.lose(1, lun, t, 20);
    const FindingPlace p = bed.place();
    CHECK(p.kind == PlaceKind::connection);
    CHECK(p.stream == StreamId{1});
    CHECK(!p.type);
    CHECK(bed.words() ==
          "The connection from 10.0.0.2:40001 only: 20 % of the busy time there, 0.0 % elsewhere.");
}

TEST_CASE("a target that is slow with one logical unit of all hosts is named by that unit") {
    Bed bed(3);
    for (const unsigned c : {0U, 1U, 2U})
        for (const TaskType t : {reads, writes})
            bed.lose(c, 1, t, 20, Owner::target);
    const FindingPlace p = bed.place(FindingKind::slow_target);
    CHECK(p.kind == PlaceKind::lun);
    CHECK(p.lun == 1);
}

TEST_CASE("a type of command alone is named, and within a subset as well") {
    Bed everywhere(2), one(2);
    for (const unsigned c : {0U, 1U})
        for (const std::uint64_t lun : {0, 1})
            everywhere.lose(c, lun, reads, 20);
    CHECK(!everywhere.place().kind);
    CHECK(everywhere.place().type == reads);
    CHECK(everywhere.words().starts_with("Reads only: "));
    CHECK(!everywhere.place(FindingKind::r2t_ping_pong).known()); // it is of Writes by its nature
    for (const std::uint64_t lun : {0, 1})
        one.lose(0, lun, writes, 30);
    CHECK(one.place().kind == PlaceKind::connection);
    CHECK(one.place().type == writes);
    CHECK(one.words().starts_with("Writes of the connection from 10.0.0.1:40001 only: "));
}

TEST_CASE("a few waits that chance may put together have no place") {
    Bed bed(2);
    bed.lose(1, 0, reads, 2);
    bed.lose(1, 1, writes, 1);
    CHECK(!bed.place().known());
}

TEST_CASE("a subset of nearly all commands is no news, nor is one beside hardly any other") {
    Bed most(1), alone(2, 2);
    for (const std::uint64_t lun : {0, 1})
        for (const TaskType t : {reads, writes})
            most.lose(0, lun, t, 50);
    CHECK(!most.place().known());
    for (const std::uint64_t lun : {0, 1})
        for (const TaskType t : {reads, writes})
            alone.lose(0, lun, t, 50);
    CHECK(!alone.place().known()); // eight other Reads and Writes
}

TEST_CASE("nearly all of the time is said to be mostly there") {
    Bed bed(2);
    for (const std::uint64_t lun : {0, 1})
        for (const TaskType t : {reads, writes})
            bed.lose(0, lun, t, 24);
    bed.lose(1, 0, reads, 4);
    CHECK(bed.place().part == 0.96);
    CHECK(bed.words().starts_with("The connection from 10.0.0.1:40001 mostly: "));
}

} // namespace iscsiscope
