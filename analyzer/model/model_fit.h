// SPDX-License-Identifier: GPL-2.0-or-later
// Measures the inputs of the models (ModelInput) from the engine's records, in one pass and in bounded
// memory.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/model/model.h"
#include "analyzer/tallies/segment_sums.h"
#include "analyzer/tallies/task_sums.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace iscsiscope {

class ModelFit {
public:
    static constexpr std::size_t max_sizes = 48;     // block sizes kept apart, of Reads and of Writes
    static constexpr std::size_t max_samples = 1024; // cycles kept of each block size

    // True for the entries that on_cycle() takes: of waits for an ACK.
    static bool wants(const LedgerEntry &);
    // A final task record, after its bursts, with the entries that the ledger has of its waits.
    void on_cycle(const CycleRecord &, std::span<const LedgerEntry> waits);
    void on_burst(const BurstRecord &);
    void on_tcp_direction(PduDirection, const TcpDirectionFigures &);
    void on_connection(const ConnectionRecord &);

    // Returns one input for Reads and one for Writes, as far as the capture has any; the type with more bytes
    // first.
    std::vector<ModelInput> inputs() const;

private:
    // Sums over the bursts of the task whose final record comes next.
    struct Bursts {
        CycleId cycle;
        std::uint64_t unsolicited = 0;
        std::uint32_t largest = 0, solicited = 0, max_open = 0;
        std::uint32_t largest_segment = 0; // largest mean DataSegmentLength of a burst: a lower bound
        bool unsolicited_pdus = false, immediate = false;
        std::array<Time, 16> ends{}; // of the latest solicited bursts
    };
    // The union of the times in which tasks were open, and the sum of these times.
    struct OpenTime {
        Time until{};
        bool begun = false;
        double busy_ns = 0;
        double open_ns = 0; // sum of the tasks' times
        double bytes = 0;

        void add(Time start, Time end, std::uint64_t moved);
        double rate() const { return ratio(bytes, busy_ns) * 1e9; } // bytes/s
    };
    struct SizeFit : TaskSums {
        OpenTime open, data;      // with and without the waits for the next command
        std::uint64_t cycles = 0; // tasks with a known cycle time
        double think_ns = 0;
        Histogram service; // of the target, ns
        std::uint64_t held = 0;
        double held_ns = 0;
        std::uint64_t collapsed = 0;
        double unsolicited = 0;
        std::uint32_t largest_segment = 0; // lower bound of the largest DataSegmentLength
        bool unsolicited_pdus = false, immediate = false;
        std::uint32_t largest_burst = 0, max_r2ts_open = 0;
        std::vector<float> rates; // bytes/s of data phases after their first segment
        std::vector<Duration> samples;
        std::uint64_t stride = 1;
    };
    struct TypeFit : TaskCounts {
        std::map<std::uint32_t, SizeFit> sizes;
        OpenTime open;
        std::map<StreamId, std::uint64_t> tasks_of_stream; // by connection
    };
    struct PathFit {
        double weight = 0, rtt_ns = 0, to_initiator_ns = 0;
        double active_ns = 0, flowing_ns = 0; // flowing: data was in flight, or only TCP held it back
        double keys_weight = -1;
        OperationalParameters keys;
        ParameterSet keys_known;

        bool at_target() const { return weight > 0 && to_initiator_ns > 0.75 * rtt_ns; }
    };
    struct TcpFit {
        SegmentSums sums;
        double bytes = 0, full_segment = 0, plateau = 0;
        std::optional<double> window;
        double rtt_at_rest = 0, rtt_under_load = 0; // of the sender, ns: least and median; 0: too few samples
        double flight = 0;                          // most bytes in flight
        double window_held = 0; // share of the busy time in which the receive window or send buffer held it
        double drain = 0;       // most that queues add to the round trip from tap to receiver, ns
        double last_drain = 0;  // the same from the slowest segments
    };

    static void add_sample(SizeFit &, const CycleRecord &);
    static void fill_shares(ModelInput &, const SizeFit &, const TypeFit &);
    ModelInput input(TaskType, const TypeFit &) const;
    void fill_path_rate(ModelInput &, const SizeFit &, const TypeFit &) const;

    std::array<TypeFit, 2> types_;
    Bursts bursts_;
    PathFit path_;
    std::array<TcpFit, 2> tcp_;
};

} // namespace iscsiscope
