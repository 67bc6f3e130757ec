// SPDX-License-Identifier: GPL-2.0-or-later
// The owner that the sentence of a comparison names.
#include "analyzer/words/compare/throughput_sentence.h"
#include "catch.h"
#include "report/synthetic.h"

using namespace iscsiscope;
using synthetic::us;

namespace {

// Reads that follow each other, each as long as the owners' times add up to.
Report report_of(std::uint64_t reads, Duration network, Duration target, Duration unknown = {}) {
    const Duration each = network + target + unknown;
    Collector collector;
    for (std::uint64_t i = 0; i < reads; ++i) {
        CycleRecord r = synthetic::read_cycle(i, 0, 0);
        r.start = synthetic::at_us(0) + static_cast<std::int64_t>(i) * each;
        r.end = r.start + each;
        r.response_time = each;
        collector.on(r);
    }
    Report r = collector.take(synthetic::summary());
    OwnerTimes &t = r.type_owners[static_cast<std::size_t>(TaskType::read)];
    t[Owner::network] = static_cast<std::int64_t>(reads) * network;
    t[Owner::target] = static_cast<std::int64_t>(reads) * target;
    t[Owner::unknown] = static_cast<std::int64_t>(reads) * unknown;
    r.time.owners = t;
    r.time.busy = t.sum();
    return r;
}

bool names(const Report &before, const Report &after, std::string_view owner) {
    return throughput_sentence(compare(before, after, {}).throughput).find(owner) != std::string::npos;
}

} // namespace

TEST_CASE("a comparison names the owner whose time explains the difference") {
    const Report quick = report_of(40, us(100), us(100));
    const Report slow_target = report_of(40, us(110), us(900));
    CHECK(throughput_sentence(compare(quick, slow_target, {}).throughput) ==
          "The throughput is 80.2 % lower: 41 MB/s (40 Reads and Writes in 8.00 ms of data time) before, "
          "8.11 MB/s (40 Reads and Writes in 40.4 ms of data time) after; of the busy time per MB, the "
          "target's "
          "part changed most, from 12.2 ms to 110 ms.");
    CHECK(names(slow_target, quick, "the target's part changed most, from 110 ms to 12.2 ms."));
    CHECK(names(quick, report_of(40, us(500), us(100)), "the network's part"));
}

TEST_CASE("a comparison names no owner where that is not clear") {
    const Report quick = report_of(40, us(100), us(100));
    const char *any = "'s part";
    CHECK_FALSE(names(quick, report_of(40, us(500), us(500)), any));          // two changed alike
    CHECK_FALSE(names(quick, report_of(40, us(105), us(100)), any));          // too small a difference
    CHECK_FALSE(names(quick, report_of(40, us(100), us(400), us(200)), any)); // too much is unknown
    CHECK_FALSE(names(quick, report_of(40, us(0), us(400)), any));   // the network's went the other way
    CHECK_FALSE(names(quick, report_of(19, us(100), us(900)), any)); // few tasks
    Report least = report_of(40, us(100), us(900));
    least.time.busy_at_least = true;
    CHECK_FALSE(names(quick, least, any));
    Report chosen = report_of(40, us(100), us(900));
    chosen.filter = "cycle < 40";
    CHECK_FALSE(names(quick, chosen, any));
    Report shared = report_of(40, us(100), us(900)); // four connections at once: busy time is not data time
    OwnerTimes &t = shared.type_owners[static_cast<std::size_t>(TaskType::read)];
    t[Owner::target] *= 4;
    CHECK_FALSE(names(quick, shared, any));
}
