// SPDX-License-Identifier: GPL-2.0-or-later
// Reads and Writes that end with GOOD and less data than they asked for.
#include "analyzer/findings/facts/short_data.h"
#include "catch.h"
#include "findings/made_facts.h"
#include "findings/made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto kind = FindingKind::short_data;

// A Read of 64 blocks that expects 32 KiB, which the capture holds whole.
CycleRecord read_of(std::uint64_t moved, std::int64_t residual = 0) {
    CycleRecord r;
    r.type = TaskType::read;
    r.opcode = 0x28;
    r.lba = 0;
    r.blocks = 64;
    r.bytes_expected = 32768;
    r.bytes_moved = moved;
    r.residual = residual;
    r.residual_known = r.complete = true;
    r.outcome = TaskOutcome::good;
    r.command_frame = 3;
    r.status_frame = 4;
    return r;
}

LunRecord unit(std::uint32_t block, std::uint8_t device_type = 0) {
    LunRecord l;
    l.block_length = block;
    l.device_type = device_type;
    return l;
}

std::size_t rows(const std::vector<CycleRecord> &tasks, const std::vector<LunRecord> &luns = {}) {
    ShortData s;
    for (const LunRecord &l : luns)
        s.on_lun(l);
    for (const CycleRecord &r : tasks)
        s.on_cycle(r);
    return s.missing().size();
}

FindingsResult judged(const std::vector<CycleRecord> &tasks) {
    ShortData s;
    s.on_lun(unit(512));
    for (const CycleRecord &r : tasks)
        s.on_cycle(r);
    Facts f = one_connection();
    f.short_tasks = s.missing();
    return found(f);
}

} // namespace

TEST_CASE("data missing without a residual count, whatever is known of the blocks") {
    CHECK(rows({read_of(24600)}) == 1);
    CHECK(rows({read_of(0)}, {unit(512)}) == 1);
    CHECK(rows({read_of(24576)}, {unit(512)}) == 1);
    CHECK(rows({read_of(32768)}, {unit(512)}) == 0);
}

TEST_CASE("a whole transfer shows the length of the blocks, before or after") {
    CHECK(rows({read_of(24576, 8192)}) == 0);
    CHECK(rows({read_of(24576, 8192), read_of(32768)}) == 1);
    CHECK(rows({read_of(32768), read_of(24576, 8192)}) == 1);
}

TEST_CASE("a command that expects more than its CDB asks for has an underflow in order") {
    CycleRecord r = read_of(4096, 28672);
    r.blocks = 8; // of 4 KiB each, if the expected length were right
    CHECK(rows({r}, {unit(512)}) == 0);
    r.residual = 0; // nor is it data missing where the residual count is forgotten
    CHECK(rows({r}, {unit(512)}) == 0);
    CHECK(rows({r}) == 0);
    CHECK(rows({r}, {unit(4096)}) == 1);
}

TEST_CASE("what the capture does not hold whole says nothing") {
    CycleRecord r = read_of(24600);
    r.complete = false;
    CHECK(rows({r}) == 0);
    r = read_of(24600);
    r.inferred = true;
    CHECK(rows({r}) == 0);
    r = read_of(24600);
    r.residual_known = false;
    CHECK(rows({r}) == 0);
    r = read_of(24600);
    r.outcome = TaskOutcome::check_condition;
    CHECK(rows({r}) == 0);
}

TEST_CASE("tapes and inquiries move what they have") {
    CHECK(rows({read_of(24600)}, {unit(512, 1)}) == 0);
    CycleRecord r = read_of(24600);
    r.type = TaskType::control;
    CHECK(rows({r}) == 0);
    r = read_of(24600);
    r.opcode = 0x08;
    CHECK(rows({r}) == 0);
}

TEST_CASE("the finding on missing data is a failure and stands first") {
    const FindingsResult r = judged({read_of(24576), read_of(16384)});
    REQUIRE(r.find(kind) != nullptr);
    const Finding &f = *r.find(kind);
    CHECK(is_failure(f));
    CHECK(f.title == "Reads end with GOOD although data are missing");
    CHECK(figure(f, "tasks_short") == 2);
    CHECK(figure(f, "bytes_missing") == 24576);
    CHECK(f.evidence.size() == 2);

    const FindingsResult stated = judged({read_of(24576, 8192)});
    REQUIRE(stated.find(kind) != nullptr);
    CHECK(stated.find(kind)->title == "Commands end with GOOD and less data than asked for");

    CycleRecord w = read_of(16384);
    w.type = TaskType::write;
    w.opcode = 0x2a;
    const FindingsResult writes = judged({w});
    REQUIRE(writes.find(kind) != nullptr);
    CHECK(writes.find(kind)->title == "Writes end with GOOD although data are missing");
}

TEST_CASE("whole Reads and Writes are no short data") {
    CHECK(why_not(judged({read_of(32768)}), kind).find("no Read or Write that the capture holds whole") == 0);
}
