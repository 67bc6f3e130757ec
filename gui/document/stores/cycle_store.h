// SPDX-License-Identifier: GPL-2.0-or-later
// CycleStore keeps the cycles of a capture in columns. record() returns a row as a CycleRecord, to which the
// columns and expressions of analyzer/query apply; columns that are scanned have accessors of their own.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "gui/document/stores/chunk_table.h"

#include <array>
#include <cstdint>

namespace iscsiscope::gui {

using Row = std::uint32_t; // number of a row of a store, in the order of arrival

inline constexpr std::size_t phaseCount = 8; // members of Phases, in their order

struct CycleChunk {
    static constexpr std::size_t rows = 4096;
    template <class T>
    using Column = std::array<T, rows>;

    Column<std::int64_t> start, end, response, cycleTime, nextWait, service, idle, way, residual; // ns; bytes
    std::array<Column<std::int64_t>, phaseCount> phases;
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

    std::int64_t start(Row r) const { return chunk(r).start[at(r)]; }
    std::int64_t end(Row r) const { return chunk(r).end[at(r)]; }
    // ns; -1: not known.
    std::int64_t responseTime(Row r) const { return chunk(r).response[at(r)]; }
    std::int64_t phase(Row r, std::size_t p) const { return chunk(r).phases[p][at(r)]; }
    std::uint32_t stream(Row r) const { return chunk(r).stream[at(r)]; }
    std::uint64_t bytesMoved(Row r) const { return chunk(r).moved[at(r)]; }
    std::uint32_t session(Row r) const { return chunk(r).session[at(r)]; }
    std::uint64_t lun(Row r) const { return chunk(r).lun[at(r)]; }
    std::uint32_t retransmittedSegments(Row r) const { return chunk(r).retransmitted[at(r)]; }
    TaskType type(Row r) const { return static_cast<TaskType>(chunk(r).type[at(r)]); }
    TaskOutcome outcome(Row r) const { return static_cast<TaskOutcome>(chunk(r).outcome[at(r)]); }
    std::uint64_t lba(Row r) const { return chunk(r).lba[at(r)]; }
    bool hasLba(Row) const;
    bool hasPhases(Row) const;
    std::uint64_t cycle(Row r) const { return chunk(r).cycle[at(r)]; }
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
