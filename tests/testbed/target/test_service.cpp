// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "sample-captures/testbed/target/config/distribution_spec.h"
#include "sample-captures/testbed/target/config/lun_spec.h"
#include "sample-captures/testbed/target/scsi/provisioning_map.h"
#include "sample-captures/testbed/target/service/raid0.h"

#include <cmath>

using namespace iscsiscope::testbed;
using namespace std::chrono_literals;

namespace {
const Moment start{};
double ms(Nanoseconds d) {
    return static_cast<double>(d.count()) / 1e6;
}
} // namespace

TEST_CASE("distributions as options write them", "[config]") {
    CHECK(parse_distribution("uniform:3ms..4ms").value().high == 4ms);
    CHECK_FALSE(parse_distribution("uniform:4ms..3ms").ok());
    CHECK_FALSE(parse_distribution("gauss:1ms").ok());
}

TEST_CASE("distributions have their means and bounds", "[service]") {
    const int n = 20000;
    double sum = 0, low = 1e9, high = 0;
    DistributionService uniform({Distribution::Kind::uniform, 3ms, 4ms}, false, 5);
    for (int i = 0; i < n; ++i) {
        const double t = ms(uniform.finish({}, start) - start);
        sum += t;
        low = std::min(low, t);
        high = std::max(high, t);
    }
    CHECK(low >= 3);
    CHECK(high <= 4);
    CHECK(std::abs(sum / n - 3.5) < 5 * 0.2887 / std::sqrt(n)); // five standard errors

    sum = 0;
    DistributionService exponential({Distribution::Kind::exponential, 5ms, {}}, false, 5);
    for (int i = 0; i < n; ++i)
        sum += ms(exponential.finish({}, start) - start);
    CHECK(std::abs(sum / n - 5) < 5 * 5 / std::sqrt(n));

    DistributionService serial({Distribution::Kind::constant, 2ms, {}}, true, 1);
    CHECK(serial.finish({}, start) == start + 2ms);
    CHECK(serial.finish({}, start) == start + 4ms);
    CHECK(serial.finish({}, start + 10ms) == start + 12ms);
}

TEST_CASE("a modelled disk positions, turns and transfers; a stream only transfers", "[service]") {
    CHECK(mean_rotational_wait(5400) == 5600us);
    CHECK(mean_rotational_wait(7200) == 4300us);
    CHECK(mean_rotational_wait(10000) == 3ms);
    DiskShape shape;
    shape.size = 1 << 30;
    shape.seek_shortest = shape.seek_longest = 2ms;
    shape.mean_rotation = 4300us;
    shape.bytes_per_second = 100'000'000;
    ModelledDisk disk(shape, 3);
    Moment now = start;
    double sum = 0;
    const int n = 5000;
    for (int i = 0; i < n; ++i) {
        const auto offset = static_cast<std::uint64_t>((i * 7919) % 100000 + 1) * 8192;
        const Moment done = disk.finish({false, offset, 4096}, now);
        const double t = ms(done - now);
        CHECK(t >= 2.04);
        CHECK(t <= 2 + 8.6 + 0.041);
        sum += t;
        now = done;
    }
    const double spread = 8.6 / std::sqrt(12.0);
    CHECK(std::abs(sum / n - (2 + 4.3 + 0.04096)) < 5 * spread / std::sqrt(n));

    const Moment one = disk.finish({false, 0, 1000000}, now);
    CHECK(disk.finish({false, 1000000, 1000000}, one) - one == 10ms);
    // Handed over while the disk is busy: after the one before.
    CHECK(disk.finish({false, 2000000, 1000000}, one) - one == 20ms);
}

TEST_CASE("RAID0 works on its disks at once; its cache makes hits fast and write-back early", "[service]") {
    Raid0Shape shape;
    shape.disk.size = 1 << 30;
    shape.disk.seek_shortest = shape.disk.seek_longest = 1ms;
    shape.disk.mean_rotation = 0ms;
    shape.disk.bytes_per_second = 32768000; // one unit a millisecond
    shape.disks = 4;
    shape.stripe_unit = 32768;
    SECTION("four units on four disks take the time of one") {
        Raid0 raid(shape, 1);
        // The first row lies where the arms stand: no positioning.
        CHECK(raid.finish({false, 0, 4 * 32768}, start) == start + 1ms);
        CHECK(raid.finish({false, 4 * 32768, 8 * 32768}, start + 1ms) == start + 3ms);
    }
    shape.cache = 8 * 32768;
    shape.cache_bytes_per_second = 32768000000; // a microsecond a unit
    SECTION("a hit is as fast as the cache; a miss brings the whole unit; old units leave") {
        Raid0 raid(shape, 1);
        CHECK(raid.finish({false, 0, 4096}, start) == start + 1ms);
        CHECK(raid.finish({false, 4096, 28672}, start + 1ms) == start + 1ms + 875ns);
        for (std::uint64_t unit = 1; unit <= 8; ++unit)
            raid.finish({false, unit * 32768, 32768}, start + 10ms * unit);
        CHECK(raid.finish({false, 0, 4096}, start + 1s) > start + 1s + 1ms);
    }
    SECTION("write-through waits for the disks, write-back only for room") {
        Raid0 through(shape, 1);
        CHECK(through.finish({true, 0, 32768}, start) == start + 1ms);
        shape.write_back = true;
        Raid0 back(shape, 1);
        for (std::uint64_t unit = 0; unit < 8; ++unit)
            CHECK(back.finish({true, unit * 32768, 32768}, start) == start + 1us);
        CHECK(back.finish({true, 8 * 32768, 32768}, start) == start + 1ms + 1us);
    }
    SECTION("write-back: a write over one that still waits for its disk costs the disk nothing") {
        shape.write_back = true;
        Raid0 back(shape, 1);
        for (int i = 0; i < 100; ++i) // as often as eight times what the cache holds
            CHECK(back.finish({true, 0, 32768}, start) == start + 1us);
        // One is under way, one waits: 1 ms, then a seek and 1 ms; the next unit of that disk follows at
        // once.
        CHECK(back.finish({false, 4 * 32768, 32768}, start) == start + 4ms);
        // What reaches beyond the waiting part is new work.
        Raid0 partly(shape, 1);
        partly.finish({true, 0, 4096}, start);
        partly.finish({true, 0, 4096}, start);
        partly.finish({true, 0, 8192}, start);
        CHECK(partly.finish({false, 4 * 32768, 32768}, start) > start + 4ms);
    }
}

TEST_CASE("a disk is made from its specification, and mistakes are named", "[config]") {
    const auto made = make_unit(
        "raid0:1MiB,disks=2,stripe=64KiB,cache=1MiB,write=back,rpm=5400,lun=5,block=4096", 0, "iqn.t", 1);
    REQUIRE(made.ok());
    const NumberedUnit &unit = made.value();
    CHECK(unit.number == 5);
    CHECK(unit.unit.disk->blocks() == 256);
    CHECK(unit.unit.service);
    for (const char *bad :
         {"ram", "ram:", "ram:x", "tape:1MiB", "ram:1MiB,foo=1", "ram:1MiB,block=100", "ram:1",
          "disk:1MiB,seek=3ms", "disk:1MiB,service=constant:1ms", "raid0:1MiB,disks=0",
          "ram:1MiB,lun=1,lun=2", "ram:1MiB,lun=70000", "file:/nonexistent/x,size=1MiB"}) {
        CAPTURE(bad);
        const auto refused = make_unit(bad, 0, "iqn.t", 1);
        REQUIRE_FALSE(refused.ok());
        CHECK(refused.failure().message.find(bad) != std::string::npos);
    }
}

TEST_CASE("the provisioning map agrees with a plain list of blocks", "[scsi]") {
    const bool initially = GENERATE(false, true);
    const std::uint64_t blocks = 1000;
    ProvisioningMap map(blocks, initially);
    std::vector<bool> plain(blocks, initially);
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        const std::uint64_t first = random() % blocks, count = random() % (blocks - first) % 200;
        const bool mapped = random() % 2 == 0;
        map.set(first, count, mapped);
        std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(first), count, mapped);
        const std::uint64_t at = random() % blocks;
        std::uint64_t run = 1;
        while (at + run < blocks && plain[at + run] == plain[at])
            ++run;
        REQUIRE(map.mapped(at) == plain[at]);
        REQUIRE(map.run(at) == run);
    }
}
