// SPDX-License-Identifier: GPL-2.0-or-later
// LadderCollector: keeps the PDUs of the slowest cycles with their times, for ladder diagrams.
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/base/ratio.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/pipeline/time_range.h"

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

namespace iscsiscope {

class Expression;

struct LadderPdu {
    Time first_seen{}, delivered{}; // at the tap
    FrameNumber frame = 0, last_frame = 0;
    std::uint32_t itt = 0;
    std::uint32_t data_length = 0; // bytes
    PduDirection direction{};
    Opcode opcode{};
    bool status = false; // carries the SCSI status
};

struct Ladder {
    CycleRecord cycle;
    std::vector<LadderPdu> pdus;     // of the task, in order of delivery
    std::uint64_t pdus_left_out = 0; // in the middle, or no longer kept when the task ended
    std::vector<GapRecord> gaps;     // that overlap the cycle, in order of start
    std::optional<Duration> rtt_to_initiator, rtt_to_target;

    // Returns the tap's position, 0 at the initiator, 1 at the target; empty if a tap-side round trip is not
    // known.
    std::optional<double> capture_position() const {
        return rtt_to_initiator && rtt_to_target
                   ? std::optional(ratio(*rtt_to_initiator, *rtt_to_initiator + *rtt_to_target))
                   : std::nullopt;
    }
};

struct LadderOptions {
    const TimeRange *range = nullptr; // of cycles, by their end; null: everything; must outlive the collector
    const Expression *filter = nullptr; // of cycles; null: all
    std::size_t most = 2;               // cycles of reads, and as many of writes
    std::size_t max_connections = 64;   // of which PDUs are kept
};

class LadderCollector final : public Takes<PduRecord, GapRecord, CycleRecord, ConnectionRecord> {
public:
    explicit LadderCollector(LadderOptions);

    void on(const PduRecord &) override;
    void on(const GapRecord &) override;
    void on(const CycleRecord &) override;
    void on(const ConnectionRecord &) override;

    std::vector<Ladder> take(); // of reads, then of writes, the slowest first

private:
    static constexpr std::size_t pdus_kept = 200;
    struct Recent {
        BoundedRing<LadderPdu, 1024> pdus;
        BoundedRing<GapRecord, 256> gaps;
    };
    void fill(Ladder &, const Recent &) const;

    LadderOptions options_;
    std::unordered_map<StreamId, Recent> recent_; // by stream
    std::array<std::vector<Ladder>, 2> slowest_;  // by TaskType
};

} // namespace iscsiscope
