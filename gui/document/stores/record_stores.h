// SPDX-License-Identifier: GPL-2.0-or-later
// Stores of the bursts, gaps and TCP samples of a capture, and Tables, which holds all stores. One thread
// appends; copies are snapshots that other threads may read.
#pragma once

#include "analyzer/cycles/records/connection_records.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/tcp_figures.h"
#include "gui/document/stores/cycle_store.h"
#include "gui/document/stores/ledger_store.h"

#include <map>
#include <utility>

namespace iscsiscope::gui {

// Stores whole records; for kinds of record of which there are few.
template <class Record>
struct RecordChunk {
    static constexpr std::size_t rows = 1024;
    std::array<Record, rows> records;
};

template <class Record>
class RecordStore {
public:
    std::size_t size() const { return table_.size(); }
    void append(const Record &r) {
        table_.chunkToAppend().records[table_.placeToAppend()] = r;
        table_.added();
    }
    const Record &record(Row r) const {
        return table_.chunkOf(r).records[ChunkTable<RecordChunk<Record>>::placeOf(r)];
    }
    std::size_t memory() const { return table_.memory(); }

private:
    ChunkTable<RecordChunk<Record>> table_;
};

using BurstStore = RecordStore<BurstRecord>;
using GapStore = RecordStore<GapRecord>;

// TCP samples of one direction of one connection, in columns. Byte counts saturate at 2^32 - 2; no TCP window
// is larger (RFC 7323).
struct SampleChunk {
    static constexpr std::size_t rows = 256;
    template <class T>
    using Column = std::array<T, rows>;
    Column<Time> time;
    Column<Duration> rtt;                                                        // below zero: none
    Column<std::uint32_t> frame, flight, cwnd, cwndLow, cwndHigh, receiveWindow; // unknownBytes: none
    Column<std::uint8_t> state, limit;
};
inline constexpr std::uint32_t unknownBytes = 0xffffffffU;

enum class SampleFigure : std::uint8_t { cwnd, flight, receiveWindow, rtt, cwndLow, cwndHigh };
inline constexpr std::size_t sampleFigureCount = 6;

class SampleSeries {
public:
    std::size_t size() const { return table_.size(); }
    void append(const TcpSample &);
    Time time(Row r) const { return table_.chunkOf(r).time[at(r)]; }
    std::uint32_t frame(Row r) const { return table_.chunkOf(r).frame[at(r)]; }
    SendLimit limit(Row r) const { return static_cast<SendLimit>(table_.chunkOf(r).limit[at(r)]); }
    SenderState state(Row r) const { return static_cast<SenderState>(table_.chunkOf(r).state[at(r)]); }
    // Bytes, or nanoseconds for rtt; empty where it is not known.
    std::optional<std::int64_t> value(Row, SampleFigure) const;
    std::size_t memory() const { return table_.memory(); }

private:
    static std::size_t at(Row r) { return ChunkTable<SampleChunk>::placeOf(r); }
    ChunkTable<SampleChunk> table_;
};

// The bytes of one direction of one connection's stream as they passed: how many had passed at each time.
struct PassedChunk {
    static constexpr std::size_t rows = 256;
    std::array<Time, rows> time;
    std::array<std::uint64_t, rows> sum; // this row's bytes included
};

class PassedSeries {
public:
    std::size_t size() const { return table_.size(); }
    // A time before that of the last row is replaced by that of the last row.
    void append(const StreamBytes &);
    std::uint64_t total() const { return sum_; }
    std::uint64_t before(Time time) const; // bytes that passed before the time
    std::size_t memory() const { return table_.memory(); }

private:
    ChunkTable<PassedChunk> table_;
    std::uint64_t sum_ = 0;
};

struct SeriesKey {
    StreamId stream;
    PduDirection direction{};
    friend auto operator<=>(const SeriesKey &, const SeriesKey &) = default;
};

// All records that are kept of a capture. A copy is a snapshot.
struct Tables {
    CycleStore cycles;
    BurstStore bursts;
    GapStore gaps;
    RecordStore<TcpRetransmission> retransmissions;
    std::map<SeriesKey, SampleSeries> samples;
    std::map<SeriesKey, PassedSeries> passed;
    std::map<SessionId, SessionRecord> sessions;
    std::map<std::pair<SessionId, std::uint64_t>, LunRecord> luns; // by session and LUN
    std::vector<EventRecord> events;
    std::vector<NoTaskRecord> without_task;
    LedgerStore ledger;
    std::vector<ConnectionRecord> connections; // those that have ended
    struct OpenConnection {
        Endpoint initiator, target;
        SessionId session;
    };
    std::map<StreamId, OpenConnection> streams; // every iSCSI connection seen so far

    std::size_t memory() const;
};

} // namespace iscsiscope::gui
