// SPDX-License-Identifier: GPL-2.0-or-later
// Models of Read and Write cycles (definitions.md, "Models"): what was measured beside what the
// model says, and what it says of other settings. Times are nanoseconds and rates bytes per second,
// as double where a mean is meant.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/iscsi/text/operational_parameters.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// One cycle of the workload, as measured: what the residuals are taken over.
struct MeasuredCycle {
    Duration cycle_time{};
    std::uint32_t bytes = 0;
    std::uint32_t depth = 0;       // outstanding when it began, itself included
    std::uint32_t round_trips = 0; // R2T waves seen
};

// What the models start from. Everything is measured; what was not to be measured is empty, and the
// model leaves out the term that needs it and says so.
struct ModelInput {
    TaskType type = TaskType::read;  // the type with more bytes; each has its own input
    std::uint64_t tasks = 0;         // of the block size that carries most bytes
    std::uint64_t tasks_of_type = 0; // of every size
    double block = 0;                // B: mean bytes of those tasks
    double depth = 1;                // Q: mean outstanding tasks, of every size, while any of those was
    // Where tasks of other sizes are open at the same time: the part of the outstanding tasks, and of the
    // bytes that go by, which is of these. 1: they have the path to themselves while they are open.
    double task_share = 1, byte_share = 1;
    double connections = 1; // C that carried tasks of this type at the same time
    double rtt = 0;         // ns, whole round trip, propagation
    bool rtt_known = false;
    double service = 0; // s: mean time of the target, network taken off, ns
    bool service_known = false;
    double think = 0; // host's time between a status and the next command, ns, with no task open
    // k: one-way delays a cycle was seen to wait for, from its idle gaps less the service time.
    double delays_per_cycle = 0;
    bool held_acks = false;           // two of them were waits for an ACK of a small tail (Nagle)
    double held_time = 0;             // ns a cycle, of those waits
    bool phase_collapse = false;      // status in the last Data-In
    std::optional<double> path_rate;  // T: the layer below, bytes/s, from dispersion or the best transfer
    bool rate_is_lower_bound = false; // nothing in the capture ever filled the path
    std::optional<double> window;     // W: bytes that may be under way on a connection
    bool window_is_cwnd = false;      // the congestion window was below the receiver's
    std::optional<double> loss;       // p: lost segments over segments sent
    double mss = 0;                   // bytes
    // Writes.
    double unsolicited = 0;        // U: bytes sent without an R2T, a task
    bool unsolicited_pdus = false; // in Data-Out PDUs: InitialR2T is No
    bool immediate_seen = false;   // with commands: ImmediateData is Yes
    double burst = 0;              // M: bytes an R2T asks for, largest seen
    double r2ts_outstanding = 1;   // R: most R2Ts of one task open at a time
    std::uint64_t r2ts = 0;
    double r2t_service = 0;            // ns that each wave of R2Ts takes beyond the round trip
    std::uint32_t largest_segment = 0; // DataSegmentLength seen, at least, bytes
    OperationalParameters keys;        // in force
    ParameterSet keys_known;           // which of them the login in the capture tells
    double measured_throughput = 0; // bytes/s of these tasks over the time in which any of them was open, or
                                    // waited for the next command; long pauses of the host left out
    double measured_cycle = 0;      // ns, mean of their response times and waits for the next command
    std::vector<MeasuredCycle> samples; // evenly spread over the capture, at most 1024
};

// The parts of a modelled cycle; they add up to it.
struct CycleParts {
    double round_trips = 0; // ns spent on propagation
    double service = 0;     // ns in the target
    double transfer = 0;    // ns B needs at T
    double held = 0;        // ns waiting for held ACKs
    double think = 0;       // ns in which the host gave no work
    double queued = 0; // ns behind other tasks: more is outstanding than path, window or loss let through
    double total() const { return round_trips + service + transfer + held + think + queued; }
};

// What keeps the throughput where it is.
enum class Bottleneck : std::uint8_t { latency, path_rate, window, loss, host };
std::string_view name(Bottleneck); // "latency" ...

struct ModelledCycle {
    CycleParts parts;
    double throughput = 0; // bytes/s, depth and connections in
    Bottleneck bottleneck{};
    double measured_cycle = 0, measured_throughput = 0;
    double cycle_error = 0;      // (model − measured) / measured, of the cycle
    double throughput_error = 0; // likewise
    // (measured − modelled) / modelled over the samples: quantiles 0.05, 0.5, 0.95.
    double residual_low = 0, residual_median = 0, residual_high = 0;
    std::vector<std::string> left_out; // sentences: terms the capture does not tell
};
ModelledCycle model_cycle(const ModelInput &);

// What may be changed.
enum class SettingName : std::uint8_t {
    block_size,
    max_burst_length,
    first_burst_length,
    initial_r2t,
    immediate_data,
    max_outstanding_r2t,
    depth,
    connections,
    window,
    delay, // one way
    loss,
    phase_collapse,
    no_delay, // TCP_NODELAY at the sender of what is held
};
std::string_view name(SettingName); // as parse_change (report) takes it: "MaxBurstLength", "depth" ...

struct Change {
    SettingName setting{};
    double value = 0; // bytes, nanoseconds, a share, a count; 0 or 1 for yes and no
};

// Whether a setting holds the throughput back.
struct KeyVerdict {
    std::string key;    // "MaxBurstLength"
    std::string value;  // in force, or as seen ("at least 64 KiB, seen"); empty: not known
    bool binds = false; // its best value would raise the throughput by more than 1 %
    double gain = 0;    // predicted throughput with its best value over that without change, less 1
    std::string reason; // one sentence
    bool judged = true; // false: nobody can tell whether it binds, since its value is not known
};

struct Prediction {
    double measured = 0;      // bytes/s
    double modelled = 0;      // the same settings by the model
    double predicted = 0;     // with the changes, scaled by measured / modelled
    double low = 0, high = 0; // interval
    std::string interval;     // what the interval is: "90 %, from the residuals of 400 cycles"
    CycleParts before, after; // of one cycle
    Bottleneck bottleneck_before{}, bottleneck_after{};
    std::vector<KeyVerdict> keys;     // each negotiated key and the other settings, as measured
    std::vector<std::string> remarks; // what the prediction rests on and cannot know
};
Prediction predict(const ModelInput &, std::span<const Change>);
std::vector<KeyVerdict> key_verdicts(const ModelInput &);

// Bandwidth-delay product, bytes; empty if either is not known.
std::optional<double> bandwidth_delay_product(const ModelInput &);
// Two mirrored targets behind one shared link: the fixed part of the farther one + 2·B/T, ns.
double mirrored_cycle(const ModelInput &near, const ModelInput &far);

} // namespace iscsiscope
