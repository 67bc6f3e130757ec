// SPDX-License-Identifier: GPL-2.0-or-later
// Tallies: the sums and distributions in a report, each of bounded size.
#pragma once

#include "analyzer/base/containers/time_union.h"
#include "analyzer/base/histogram.h"
#include "analyzer/base/ratio.h"
#include "analyzer/capture/anomaly.h"
#include "analyzer/cycles/records/connection_records.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/figures/cycle_figures.h"
#include "analyzer/tallies/task_sums.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace iscsiscope {

// Tasks of one size class: (2^(n-1), 2^n] bytes. A task whose size nothing shows is in none.
struct SizeTally : Tally {
    std::uint64_t smallest = 0, largest = 0; // requested sizes
};

// All tasks of one type.
struct TypeTally : TaskSums {
    std::array<Histogram, cycle_figure_count> figures;
    Histogram host_response_time; // of the tasks whose way to the initiator is known
    std::array<SizeTally, size_class_count> sizes;
    std::vector<CycleRecord> slowest; // at most 5, the slowest first

    void add(const CycleRecord &);
    using TaskSums::of;
    const Histogram &of(CycleFigure f) const { return figures[index(f)]; }
};

// The Reads and Writes of a session, of a LUN or of the whole report, and the times in which one was open.
struct RateTally {
    struct Part : TaskCounts {
        std::uint64_t answered = 0;
        TimeUnion open; // data time: the instants with such a task open for the initiator, in the range
    };
    Part read, write, both; // `both`: Reads and Writes together

    // The task counts as open from `from` to `to`. Control tasks are not counted.
    void add(const CycleRecord &, Time from, Time to);
};

// Tasks of one LUN of one session.
struct LunTally {
    SessionId session;
    std::uint64_t lun = 0;
    std::array<Tally, task_type_count> parts; // by type
    RateTally rates;
    OwnerTimes owners; // of the busy time that belongs to it

    std::uint64_t not_good() const { return parts[0].not_good + parts[1].not_good + parts[2].not_good; }
};

struct BurstTally {
    std::uint64_t solicited = 0, unsolicited = 0, solicited_bytes = 0, unsolicited_bytes = 0;
    std::uint64_t not_final = 0;                                   // bursts whose F bit was not seen
    Histogram desired_bytes, r2t_wait, burst_response, burst_data; // of solicited ones

    void add(const BurstRecord &);
};

// The active life of one connection or of several: transfer and gaps by kind add up to `active` exactly, and
// so do busy time, time without a task and the active life of connections of which one direction is not in
// the capture.
struct ActiveTime {
    Duration active{}, transfer{};
    Duration busy{}, without_task{}, one_sided{};
    OwnerTimes owners;          // of busy
    bool busy_at_least = false; // busy may be longer, and the time without a task shorter
    // TCP payload that passed, by sequence number: repeats are not counted, what no frame holds is.
    std::uint64_t wire_bytes = 0;
    std::array<Duration, gap_kind_count> gap_time{};
    std::array<std::uint64_t, gap_kind_count> gaps{};

    void add(const ConnectionRecord &);
};

// What passed on the streams of the iSCSI connections over time (PassedRecord), whatever is known of the PDUs
// and tasks in it; bytes that the snap length cut off are counted too.
struct WireTally {
    // A time in which no byte passed on any connection is a pause from this length on.
    static constexpr Duration pause = std::chrono::seconds(1);

    std::array<std::uint64_t, 2> bytes{}; // by PduDirection; repeats are not counted, unseen bytes are
    std::uint64_t unseen = 0;             // of both together, those that no frame holds
    std::optional<Time> first, last;      // the first and the last bytes
    // First to last without pauses. Bytes that are reported after later ones (of a connection that was not
    // known to speak iSCSI when they passed) do not end a pause.
    Duration flowing{};

    void add(PduDirection, const StreamBytes &);
    std::uint64_t to_target() const { return bytes[0]; }
    std::uint64_t to_initiator() const { return bytes[1]; }
    std::uint64_t total() const { return bytes[0] + bytes[1]; }
    std::optional<Duration> range() const { return first ? std::optional(*last - *first) : std::nullopt; }
    // Both directions together, per second of the range and of `flowing`; empty if that is not positive.
    std::optional<double> average_rate() const { return per_second(total(), range()); }
    std::optional<double> flow_rate() const { return per_second(total(), flowing); }
};

// The time in which a session had no connection (docs/figures.md, "Downtime").
struct Downtime {
    Duration length{};
    std::uint64_t tasks = 0; // open when its connections were lost
};

// The downtimes of sessions, from the records of their connections and of the tasks that these lost.
class DowntimeTally {
public:
    void add(const CycleRecord &);
    void add(const ConnectionRecord &);
    // Returns the downtimes by session: of those with a login in the capture, discovery left out. None is
    // known if there were more connections than are kept.
    std::map<SessionId, Downtime> of(const std::map<SessionId, SessionRecord> &) const;

private:
    struct Stay {
        StreamId stream;
        Time from{}, end{}, active_end{};
    };
    std::map<SessionId, std::vector<Stay>> stays_;           // by session
    std::unordered_map<StreamId, std::uint64_t> lost_tasks_; // by stream
    std::size_t kept_ = 0;
};

struct GapTally {
    std::array<Histogram, gap_kind_count> lengths; // gaps in the active life
    std::array<GapRecord, gap_kind_count> longest{};

    void add(const GapRecord &);
    std::uint64_t count() const; // of all kinds
};

// Anomalies of one kind.
struct AnomalyTally {
    std::uint64_t count = 0;
    std::int64_t detail_sum = 0;
    std::vector<Anomaly> first; // the first few, which name frames
};
inline constexpr std::size_t located_anomalies = 5;

// Management events with the same opcode and code.
struct EventTally {
    Opcode opcode{};
    std::uint8_t code = 0;
    std::uint64_t count = 0;
    std::vector<EventRecord> first;
};

struct CommandTally : CommandKey, Tally {};

struct SenseTally : SenseSums {
    std::uint32_t sense = 0;
};

// True if each command with this sense data is part of every healthy device scan: a command that targets do
// not support, or the first one after a login.
bool of_every_scan(const SenseTally &);
// The same of one command that moves no data of the medium. sense: as in CycleRecord.
bool of_every_scan(TaskType, std::uint32_t sense);

} // namespace iscsiscope
