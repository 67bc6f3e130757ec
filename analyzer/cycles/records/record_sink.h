// SPDX-License-Identifier: GPL-2.0-or-later
// The way of the engine's records to its front ends: one table a type of record, and for each table the sinks
// that take it. A record stands alone: nothing in it changes after it was handed on, and what it shares
// (ConnectionFace, Login, TcpDirectionFigures) is immutable. Only bytes of the capture (of a PDU, of a
// segment) are valid during the call alone.
//
// In which order records come (tests/unit/cycles/order_test.cpp):
//  - The records that a frame causes come before those of the next frame: from Engine::feed() and finish()
//    while it is fed, or from RecordDelivery, in one thread.
//  - "Causal" records are caused by the frame that they describe; the others come when they are final, which
//    may be frames later.
//  - SegmentRecord: in order of frames, after all other records that its frame caused.
//  - A task: TaskBegun; CycleBegun, before the PduBegun of its command; CycleEnded when it has ended, and
//    again, amended, when write data or its command come after the status; then its BurstRecords in order of
//    their numbers and at once its CycleRecord, each exactly once. CycleRecords come as they become final,
//    not by number.
//  - PduBegun and PduRecord: within a direction in order of the stream.
//  - GapRecord: within a connection in order of the gaps' ends. NoTaskRecord: in order of time. LedgerEntry:
//    nearly in order of time; those of a task's waits before its CycleRecord. OutageRecord: before the
//    ConnectionRecord.
//  - LoginRecord, then the MemberRecord that it causes, then the SessionRecord of a new session. A
//    MemberRecord comes before the first task of its connection in the session.
//  - LunRecord: again whenever more is known; the last one counts.
//  - TcpDirectionRecord: to_target, then to_initiator, before the ConnectionRecord. That is the last record
//    of its connection but for AttemptRecords and anomalies.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/cycles/records/attempt_record.h"
#include "analyzer/cycles/records/connection_records.h"
#include "analyzer/cycles/records/ledger_entry.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/stream/segment_record.h"

#include <tuple>
#include <type_traits>
#include <vector>

namespace iscsiscope {

// Takes the records of one table.
template <class Record>
class Sink {
public:
    virtual void on(const Record &) = 0;

protected:
    Sink() = default;
    Sink(const Sink &) = default;
    Sink &operator=(const Sink &) = default;
    ~Sink() = default;
};

template <class... Records>
struct RecordList {};

// Every table. What few sinks take costs nothing where none takes it: the engine asks wanted().
using AllRecords =
    RecordList<Anomaly, //
                        // Causal.
               SegmentRecord, CycleBegun, CycleEnded, PduBegun, PduRecord, BurstProgress, EventRecord,
               SessionRecord, LoginRecord, MemberRecord, LunRecord, PresenceRecord, ReservationRecord,
               PortGroupsRecord, PassedRecord, TcpSampleRecord, TaskBegun, HandshakeRecord, ForgottenRecord,
               // When final.
               BurstRecord, CycleRecord, GapRecord, NoTaskRecord, LedgerEntry, OutageRecord,
               RetransmissionRecord, ReorderingRecord, AttemptRecord, TcpDirectionRecord, ConnectionRecord>;

template <class Record, class... Among>
inline constexpr bool is_one_of = (std::is_same_v<Record, Among> || ...);

class RecordTables;

// Whatever takes records of one table or of several.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    // Adds itself to each table that it takes. The tables keep references: it must outlive them.
    virtual void subscribe(RecordTables &) = 0;

protected:
    RecordSink() = default;
    RecordSink(const RecordSink &) = default;
    RecordSink &operator=(const RecordSink &) = default;
};

// The sinks of every table; those of one table in the order in which they were added. It does not own them.
class RecordTables final : public AnomalySink {
public:
    RecordTables() = default;
    RecordTables(RecordSink &sink) { sink.subscribe(*this); } // NOLINT(google-explicit-constructor)

    template <class Record>
    void add(Sink<Record> &sink) {
        std::get<Sinks<Record>>(all_).push_back(&sink);
    }
    // These tables and those of one more sink.
    RecordTables with(RecordSink &sink) const {
        RecordTables tables = *this;
        sink.subscribe(tables);
        return tables;
    }
    template <class Record>
    bool wanted() const {
        return !std::get<Sinks<Record>>(all_).empty();
    }
    // Hands the record to each sink of its table.
    template <class Record>
    void put(const Record &record) const {
        for (Sink<Record> *sink : std::get<Sinks<Record>>(all_))
            sink->on(record);
    }
    void on_anomaly(const Anomaly &a) override { put(a); }

private:
    template <class Record>
    using Sinks = std::vector<Sink<Record> *>;
    template <class... Records>
    static std::tuple<Sinks<Records>...> tables_of(RecordList<Records...>);

    decltype(tables_of(AllRecords{})) all_;
};

// The base of a sink that always takes the same tables.
template <class... Records>
class Takes : public RecordSink, public Sink<Records>... {
public:
    void subscribe(RecordTables &to) override { (to.add<Records>(*this), ...); }
};

} // namespace iscsiscope
