// SPDX-License-Identifier: GPL-2.0-or-later
// The entry that the collector used last (docs/short-ways.md): tasks that follow others of the same LUN and
// command are counted as tasks that never do.
#include "analyzer/figures/collector.h"
#include "catch.h"
#include "report/synthetic.h"

#include <map>
#include <optional>
#include <random>
#include <tuple>

using namespace iscsiscope;

namespace {

constexpr SessionId between_session = 1000;   // of the tasks between the others
constexpr std::uint8_t between_opcode = 0x00; // TEST UNIT READY

CycleRecord random_task(std::mt19937 &random, std::int64_t at_us) {
    const auto upto = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n)(random); };
    CycleRecord r = synthetic::read_cycle(0, at_us, 1 + upto(500));
    r.session = SessionId{1 + upto(2)};
    r.lun = upto(2);
    if (upto(9) != 0) {
        r.opcode = std::array<std::uint8_t, 4>{0x28, 0x2a, 0x9e, 0x5e}[upto(3)];
        r.service_action = r.opcode >= 0x5e ? std::optional<std::uint16_t>(upto(1)) : std::nullopt;
    } else {
        r.opcode.reset();
    }
    r.type = upto(1) == 0 ? TaskType::read : TaskType::write;
    r.bytes_moved = 512 * upto(8);
    r.outcome = upto(7) == 0 ? TaskOutcome::check_condition : TaskOutcome::good;
    if (upto(9) == 0)
        r.response_time.reset();
    return r;
}

using LunCounts =
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::size_t>,
             std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::optional<double>>>;
using CommandCounts =
    std::map<std::pair<std::uint8_t, std::optional<std::uint16_t>>,
             std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::optional<double>>>;

LunCounts lun_counts(const Report &report) {
    LunCounts found;
    for (const auto &[key, lun] : report.luns)
        for (std::size_t i = 0; i < lun.parts.size() && lun.session != between_session; ++i) {
            const Tally &p = lun.parts[i];
            found[{lun.session.number, lun.lun, i}] = {p.count, p.bytes, p.not_good, p.response_time.count(),
                                                       p.response_time.mean()};
        }
    return found;
}
CommandCounts command_counts(const Report &report) {
    CommandCounts found;
    for (const CommandTally &t : report.commands)
        if (t.opcode != between_opcode)
            found[{t.opcode, t.service_action}] = {t.count, t.not_good, t.response_time.count(),
                                                   t.response_time.mean()};
    return found;
}

} // namespace

TEST_CASE("tasks of one LUN and command in a row are counted as those that never follow each other") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        Collector in_a_row, apart;
        CycleRecord task = random_task(random, 0);
        for (std::int64_t i = 0; i < 2000; ++i) {
            if (random() % 4 == 0) // else one more of the same LUN and command
                task = random_task(random, 1000 * i);
            in_a_row.on(task);
            apart.on(task);
            CycleRecord other = synthetic::read_cycle(0, 1000 * i, 10);
            other.session = between_session;
            other.opcode = between_opcode;
            apart.on(other);
        }
        const Report one = in_a_row.take(synthetic::summary()), two = apart.take(synthetic::summary());
        CHECK((lun_counts(one) == lun_counts(two)));
        CHECK((command_counts(one) == command_counts(two)));
        CHECK(command_counts(one).size() == 6);
        CHECK(lun_counts(one).size() == 9 * task_type_count);
    }
}
