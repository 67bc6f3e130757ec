// SPDX-License-Identifier: GPL-2.0-or-later
// Timeline: series over the time of a capture, for charts. The number of buckets is fixed; their width
// doubles whenever the capture becomes longer than they reach, so that memory does not grow with it.
#pragma once

#include "analyzer/base/ratio.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/pipeline/time_range.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

class Expression;

inline constexpr std::size_t timeline_buckets = 1024;
// Response times in classes of a quarter octave, from 1 µs on: the edges are 1 µs · 2^(n/4).
inline constexpr std::size_t latency_classes = 108; // up to 2 minutes
std::size_t latency_class(Duration);
double latency_class_begin_ns(std::size_t);

// One bucket of one connection, or of all.
struct TrafficPoint {
    std::array<std::uint64_t, 2> bytes{}; // of its streams that passed, by PduDirection
    // A task of it was open at some time, whatever its type and whether or not the filter holds for it.
    bool asked = false;

    // Returns true if something was asked or passed: elsewhere there is no throughput to speak of, not even
    // one of 0.
    bool drawn() const { return asked || bytes[0] + bytes[1] != 0; }
    void merge(const TrafficPoint &);
};
using TrafficSeries = std::vector<TrafficPoint>;

// One bucket of the tasks of one type, which belong to that of their end, and the tasks outstanding in it.
struct LatencyPoint {
    std::uint32_t count = 0;
    std::int64_t min_ns = 0, max_ns = 0; // of response times; meaningful with count > 0
    std::array<std::uint32_t, latency_classes> classes{};
    std::int64_t outstanding_ns = 0; // sum over the tasks of their time in the bucket

    // Returns a quantile of the response times in ns: nearest rank within 9 %, limited to the minimum and
    // maximum. Empty without response times.
    std::optional<double> quantile(double q) const;
    void merge(const LatencyPoint &);
};
using LatencySeries = std::vector<LatencyPoint>;

// One bucket of the Reads and Writes of a session, or of a logical unit, which belong to that of their end.
struct GroupPoint {
    std::uint32_t count = 0; // tasks with a response time
    std::int64_t sum_ns = 0; // of response times
    bool open = false;       // a Read or Write of the group was open

    // Returns the mean response time in ns; empty without one.
    std::optional<double> mean() const { return quotient(sum_ns, count); }
    void merge(const GroupPoint &);
};

struct GroupSeries {
    std::uint64_t tasks = 0;
    std::int64_t total_ns = 0; // of their response times
    std::vector<GroupPoint> points;

    void merge(const GroupSeries &);
};

// One bucket of one direction of a connection: its last sample, and the greatest flight (bytes).
struct SenderPoint {
    std::uint32_t samples = 0;
    std::uint64_t flight_max = 0;
    std::optional<std::uint64_t> cwnd, cwnd_high, receive_window;
    std::uint64_t cwnd_low = 0;
    std::optional<Duration> rtt;

    void merge(const SenderPoint &later);
};
using SenderKey = std::pair<StreamId, PduDirection>; // stream and direction

struct Timeline {
    bool any = false;
    Time origin{};                             // begin of bucket 0
    Duration width{};                          // of a bucket
    std::size_t used = 0;                      // number of buckets up to the last one in use
    TrafficSeries all_traffic;                 // of all connections; empty if nothing passed
    std::map<StreamId, TrafficSeries> traffic; // by stream
    std::array<LatencySeries, 2> latency;      // reads, writes
    std::map<SenderKey, std::vector<SenderPoint>> senders;
    std::map<SessionId, GroupSeries> sessions;                       // by session
    std::map<std::pair<SessionId, std::uint64_t>, GroupSeries> luns; // by session and LUN
    GroupSeries other_sessions, other_luns;                          // beyond the limit; without tasks: none

    double seconds(std::size_t bucket) const;            // from the origin to the middle of the bucket
    double per_second(double amount) const;              // rate of an amount within one bucket
    double mean_outstanding(const LatencyPoint &) const; // tasks
};

struct TimelineOptions {
    const TimeRange *range = nullptr;   // null: everything; must outlive the collector
    const Expression *filter = nullptr; // of cycles; null: all
    bool senders = false;               // fill Timeline::senders, which slows the reading
    std::size_t max_connections = 32, max_senders = 16;
    std::size_t max_groups = 64; // sessions, and logical units; those that come later are summed up
};

class TimelineCollector final : public Takes<PassedRecord, CycleRecord>, public Sink<TcpSampleRecord> {
public:
    explicit TimelineCollector(TimelineOptions);

    void subscribe(RecordTables &) override;
    void on(const PassedRecord &) override;
    void on(const CycleRecord &) override;
    void on(const TcpSampleRecord &) override;

    Timeline take();

private:
    void reach(Time);               // doubles the width until the time lies in a bucket
    std::size_t bucket(Time) const; // of a time that reach() has covered
    void coarsen();
    void on_asked(const CycleRecord &);
    // Sets a member of all points between two times that were reached.
    template <class Point>
    void mark(std::vector<Point> &, bool Point::*, Time from, Time to) const;
    void add(GroupSeries &, const CycleRecord &) const;
    // Spreads the amount evenly over [from, to]: calls f(bucket, part); the parts add up to it.
    template <class F>
    void spread(Time from, Time to, std::int64_t amount, F f);

    TimelineOptions options_;
    Timeline timeline_;
};

} // namespace iscsiscope
