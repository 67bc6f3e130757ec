// SPDX-License-Identifier: GPL-2.0-or-later
// CycleStore keeps the cycles of a capture in columns. record() returns a row as a CycleRecord, to which the
// columns and expressions of analyzer/query apply; columns that are scanned have accessors of their own.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "gui/document/stores/chunk_table.h"

#include <array>
#include <cstdint>
#include <optional>

namespace iscsiscope::gui {

using Row = std::uint32_t; // number of a row of a store, in the order of arrival

inline constexpr std::size_t phaseCount = 8; // members of Phases, in their order

// What the timeline reads of a cycle stands together: neighbours in its lanes are far apart in the store, and
// each column of its own would cost it a cache line a cycle.
struct CycleSpan {
    Time start, end;
};
using PhaseLengths = std::array<Duration, phaseCount>; // one cache line

struct CycleChunk {
    static constexpr std::size_t rows = 4096;
    template <class T>
    using Column = std::array<T, rows>;

    alignas(64) Column<PhaseLengths> phases;
    Column<CycleSpan> span;
    Column<Duration> response; // below zero: not known
    Column<Duration> cycleTime, nextWait, service, idle, way;
    Column<std::int64_t> residual; // bytes
    Column<std::uint64_t> cycle, lun, lba, blocks, moved, cut, unseen;
    Column<std::uint32_t> session, stream, itt, cmdSn, expected, sense, commandFrame, firstDataFrame,
        lastDataFrame, statusFrame, endFrame, idleGaps, r2ts, dataPdus, retransmitted, depth, sessionDepth,
        firstBurst, bursts;
    Column<std::uint16_t> cid, serviceAction, known;
    Column<std::uint8_t> type, outcome, opcode, status, response8, flags;
};

class CycleStore {
public:
    std::size_t size() const { return table_.size(); }
    // firstBurst, bursts: first row and number of rows of the cycle's bursts in the burst store.
    void append(const CycleRecord &, Row firstBurst, Row bursts);
    CycleRecord record(Row) const;

    const CycleSpan &span(Row r) const { return chunk(r).span[at(r)]; }
    Time start(Row r) const { return span(r).start; }
    Time end(Row r) const { return span(r).end; }
    std::optional<Duration> responseTime(Row r) const {
        const Duration d = chunk(r).response[at(r)];
        return d >= Duration{} ? std::optional(d) : std::nullopt;
    }
    const PhaseLengths &phases(Row r) const { return chunk(r).phases[at(r)]; }
    // Has the row's span and phases brought near, for a reader that will soon ask for them.
    void prefetch(Row r) const {
        const CycleChunk &c = chunk(r);
        const std::size_t i = at(r);
        __builtin_prefetch(&c.span[i]);
        __builtin_prefetch(&c.phases[i]);
        __builtin_prefetch(&c.flags[i]);
    }
    StreamId stream(Row r) const { return StreamId{chunk(r).stream[at(r)]}; }
    std::uint64_t bytesMoved(Row r) const { return chunk(r).moved[at(r)]; }
    SessionId session(Row r) const { return SessionId{chunk(r).session[at(r)]}; }
    std::uint64_t lun(Row r) const { return chunk(r).lun[at(r)]; }
    std::uint32_t retransmittedSegments(Row r) const { return chunk(r).retransmitted[at(r)]; }
    TaskType type(Row r) const { return static_cast<TaskType>(chunk(r).type[at(r)]); }
    TaskOutcome outcome(Row r) const { return static_cast<TaskOutcome>(chunk(r).outcome[at(r)]); }
    std::uint32_t sense(Row r) const { return chunk(r).sense[at(r)]; } // as in CycleRecord; 0: none
    std::uint64_t lba(Row r) const { return chunk(r).lba[at(r)]; }
    bool hasLba(Row) const;
    bool hasPhases(Row) const;
    CycleId cycle(Row r) const { return CycleId{chunk(r).cycle[at(r)]}; }
    Row firstBurst(Row r) const { return chunk(r).firstBurst[at(r)]; }
    Row bursts(Row r) const { return chunk(r).bursts[at(r)]; }
    std::uint32_t firstFrame(Row) const; // 0: none
    std::uint32_t lastFrame(Row) const;
    std::size_t memory() const { return table_.memory(); }

private:
    const CycleChunk &chunk(Row r) const { return table_.chunkOf(r); }
    static std::size_t at(Row r) { return ChunkTable<CycleChunk>::placeOf(r); }

    ChunkTable<CycleChunk> table_;
};

} // namespace iscsiscope::gui
