// SPDX-License-Identifier: GPL-2.0-or-later
// The whole engine: every cycle becomes final once, its phases sum exactly, both partitions of a
// connection's active life hold.
#include "analyzer/cycles/engine.h"
#include "analyzer/base/ids.h"
#include "fuzz/engine_input.h"

#include <numeric>
#include <set>

using namespace iscsiscope;

namespace {

class Check final : public Takes<CycleRecord, GapRecord, ConnectionRecord> {
public:
    void on(const CycleRecord &c) override {
        fuzz::require(final_.insert(c.cycle).second);
        fuzz::require(c.end >= c.start && c.bytes_moved < (std::uint64_t{1} << 40));
        if (!c.has_phases)
            return;
        const Phases &p = c.phases;
        const Duration sum = p.command + p.first_data_wait + p.data + p.unsolicited + p.r2t_wait +
                             p.burst_response + p.burst_data + p.status_wait;
        fuzz::require(c.response_time && sum == *c.response_time);
        fuzz::require(!c.next_command_wait || *c.cycle_time == sum + *c.next_command_wait);
    }
    void on(const GapRecord &g) override {
        fuzz::require(g.length > Duration::zero() && g.active_part <= g.length);
    }
    void on(const ConnectionRecord &c) override {
        if (!c.active_start)
            return;
        const Duration gaps = std::accumulate(c.gap_time.begin(), c.gap_time.end(), Duration::zero());
        fuzz::require(c.transfer >= Duration::zero() && c.transfer + gaps == *c.active_end - *c.active_start);
    }

private:
    std::set<CycleId> final_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Check check;
    Engine engine{check,
                  {.limits = {}, .tcp = {}, .iscsi = {.ports = {}, .search_limit = 4096}, .cycles = {}}};
    fuzz::segments(data, size, [&](const Segment &s) { engine.feed(s); });
    engine.finish();
    return 0;
}
