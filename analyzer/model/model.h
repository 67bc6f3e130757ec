// SPDX-License-Identifier: GPL-2.0-or-later
// Models of Read and Write cycles (docs/figures.md, "Models"): the modelled cycle compared with the measured
// one, and predictions for other settings. All are plain values and pure functions. Times are nanoseconds and
// rates bytes per second, of type double for means.
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/base/ratio.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/iscsi/text/operational_parameters.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Round trips of the sender of the data, ns: the least, and the median while data was in flight.
struct StandingQueue {
    double at_rest = 0, under_load = 0;
};

// What a model computes with: measured, or changed for a prediction.
struct ModelArguments {
    TaskType type = TaskType::read; // read or write
    double block = 0;               // B: mean bytes of a task
    double depth = 1;               // Q: mean outstanding tasks of all sizes, while any of the tasks was
    // Share of the tasks in those outstanding, and in the bytes transferred, while any of them is.
    double task_share = 1, byte_share = 1;
    double connections = 1; // C: connections that carried tasks of this type at the same time
    double rtt = 0;         // ns, whole round trip, propagation
    double service = 0;     // s: mean service time of the target without the network, ns
    double think = 0;       // time of the host between a status and the next command with no task open, ns
    std::optional<double> path_rate; // T: bytes/s below iSCSI, from dispersion or the best transfer
    std::optional<double> window;    // W: bytes that may be in flight on a connection
    double mss = 0;                  // bytes
    // Writes.
    double unsolicited = 0;      // U: bytes sent without an R2T per task
    double burst = 0;            // M: largest Desired Data Transfer Length of an R2T, bytes
    double r2ts_outstanding = 1; // R: most R2Ts of one task open at a time
    double r2t_service = 0;      // ns that each round of R2Ts takes beyond the round trip
};

// The measured inputs of the models. An input that could not be measured is empty or marked as not known; the
// model then leaves out the term that needs it and lists it in ModelledCycle::left_out.
struct ModelInput : ModelArguments {
    std::uint64_t tasks = 0;         // tasks of the block size that carries most bytes
    std::uint64_t tasks_of_type = 0; // tasks of all sizes
    double bytes = 0;                // of `tasks`
    double data_time = 0;            // ns in which any of `tasks` was open
    bool rtt_known = false;
    bool service_known = false;
    bool open_loop = false;             // the host sends commands independently of completions
    bool held_acks = false;             // cycles had waits for the ACK of a short last segment (Nagle)
    double held_time = 0;               // ns per cycle of those waits
    bool phase_collapse = false;        // status in the last Data-In
    bool rate_is_lower_bound = false;   // no transfer in the capture filled the path
    bool window_is_buffer = false;      // `window` is the level of a full send buffer, not the receive window
    double window_held = 0;             // share of the sender's busy time in which window or buffer held it
    std::optional<StandingQueue> queue; // empty: no queue stood on the way of the data
    std::optional<double> loss;         // p: lost segments over segments sent
    // Writes.
    bool unsolicited_pdus = false; // unsolicited Data-Out PDUs were seen: InitialR2T is No
    bool immediate_seen = false;   // immediate data was seen: ImmediateData is Yes
    std::uint64_t r2ts = 0;
    std::uint32_t largest_segment = 0; // lower bound of the largest DataSegmentLength, bytes
    OperationalParameters keys;        // negotiated values
    ParameterSet keys_known;           // keys that a login in the capture states
    double measured_throughput = 0;    // bytes / data_time, bytes/s
    double measured_cycle = 0;         // ns, mean response time plus wait for the next command
    std::vector<Duration> samples;     // cycle times, evenly spread over the capture, at most 1024
};

// The parts of a modelled cycle, ns; their sum is the cycle time.
struct CycleParts {
    double round_trips = 0; // propagation
    double service = 0;     // service time of the target
    double transfer = 0;    // B / T
    double held = 0;        // waits for delayed ACKs
    double think = 0;       // no task outstanding
    double queued = 0;      // behind other tasks, where more is outstanding than path, window or loss allow
    double total() const { return round_trips + service + transfer + held + think + queued; }
};

// The limit of the throughput.
#define ISCSISCOPE_BOTTLENECKS(X) X(latency) X(path_rate) X(window) X(loss) X(host)
ISCSISCOPE_ENUM(Bottleneck, bottleneck_names, bottleneck_count, ISCSISCOPE_BOTTLENECKS)

struct ModelledCycle {
    CycleParts parts;
    double throughput = 0; // bytes/s of the same tasks over the same data time as the measured one
    Bottleneck bottleneck{};
    double cycle_error = 0;      // (model − measured) / measured, of the cycle
    double throughput_error = 0; // likewise
    // (measured − modelled) / modelled over the samples: quantiles 0.05, 0.5, 0.95.
    double residual_low = 0, residual_median = 0, residual_high = 0;
    std::vector<std::string> left_out; // sentences: terms left out because the capture does not show them

    // A model that misses the measured cycle by more than half cannot judge what a setting would change.
    bool describes_measured() const { return std::abs(cycle_error) <= 0.5; }
};
ModelledCycle model_cycle(const ModelInput &);

// The settings that a prediction can change, and the rule of each (SettingRule): what it is called, a value
// as an example, the values that it takes, and those that key_verdicts() tries. Values of login keys: all
// that RFC 7143 allows (sections 13.10, 13.11, 13.13, 13.14 and 13.17). Values tried of others: what
// initiators can be set to. Of the path's own settings (delay, loss), which are those of no end, none is
// tried.
enum class SettingKind : std::uint8_t { yes_no, count, size, time, share };
#define ISCSISCOPE_SETTINGS(X)                                                                               \
    X(block_size, "block", "256KiB", SettingKind::size, 512, 0x1p32, 0x1p12, 0x1p22, false)                  \
    X(max_burst_length, "MaxBurstLength", "1MiB", SettingKind::size, 512, 0xffffff, 512, 0xffffff, true)     \
    X(first_burst_length, "FirstBurstLength", "256KiB", SettingKind::size, 512, 0xffffff, 512, 0xffffff,     \
      true)                                                                                                  \
    X(initial_r2t, "InitialR2T", "No", SettingKind::yes_no, 0, 1, 0, 1, true)                                \
    X(immediate_data, "ImmediateData", "Yes", SettingKind::yes_no, 0, 1, 0, 1, true)                         \
    X(max_outstanding_r2t, "MaxOutstandingR2T", "4", SettingKind::count, 1, 65535, 1, 65535, true)           \
    /* open-iscsi: the default of node.session.cmds_max */                                                   \
    X(depth, "depth", "32", SettingKind::count, 1, 65535, 1, 128, false)                                     \
    X(connections, "connections", "4", SettingKind::count, 1, 65535, 1, 8, false)                            \
    X(window, "window", "1MiB", SettingKind::size, 1024, 0x1p30, 0x1p16, 0x1p24, false)                      \
    X(delay, "delay", "5ms", SettingKind::time, 0, 60e9, 0, 0, false) /* one-way */                          \
    X(loss, "loss", "0.1%", SettingKind::share, 0, 0.5, 0, 0, false)                                         \
    X(phase_collapse, "phase-collapse", "Yes", SettingKind::yes_no, 0, 1, 0, 1, false)                       \
    /* at the sender whose segments wait for ACKs */                                                         \
    X(no_delay, "TCP_NODELAY", "Yes", SettingKind::yes_no, 0, 1, 0, 1, false)

enum class SettingName : std::uint8_t { ISCSISCOPE_SETTINGS(ISCSISCOPE_ENUMERATOR) };
std::string_view name(SettingName); // as parse_change() takes it: "MaxBurstLength", "depth" ...

struct Change {
    SettingName setting{};
    double value = 0; // bytes, nanoseconds, share 0..1 or count, by setting; 0 or 1 for No and Yes
};

// What a predicted throughput says about the rate of the path.
#define ISCSISCOPE_CERTAINTIES(X)                                                                            \
    X(within_seen) /* at most what the path was seen to carry */                                             \
    X(at_least)    /* the highest rate seen sets it, and nothing in the capture filled the path */           \
    X(beyond_seen) /* an extrapolation: more than the path was seen to carry */
ISCSISCOPE_ENUM(Certainty, certainty_names, certainty_count, ISCSISCOPE_CERTAINTIES)

// The values of a setting that key_verdicts() tries: from `least` to `most`, in the unit of Change::value.
struct TriedRange {
    double least = 0, most = 0;
    std::string words; // "1..128"
};
TriedRange tried_range(SettingName, const ModelInput &);

// Whether a setting limits the throughput.
struct KeyVerdict {
    std::string key;    // "MaxBurstLength"
    std::string value;  // negotiated, or as observed ("at least 64 KiB, seen"); empty: not known
    bool binds = false; // its best value would raise the throughput by more than 1 %
    double gain = 0;    // predict() with the best value of the range: predicted / measured - 1, never below 0
    std::string reason; // one sentence
    bool judged = true; // false: no verdict, since a value that it needs is not known
    std::optional<TriedRange> range; // empty: the setting does not concern tasks of this type
    // The least value of the range that gives `gain`, in the unit of Change::value, and in words; empty if no
    // value of the range gives more than the value in force.
    std::optional<double> best;
    std::string best_words;
    Certainty certainty{};

    std::string best_of() const;    // "8 of 1..128", "none better in 1..128", "-"
    std::string gain_words() const; // "45 % more", "at least about 3.6 times", "up to ...", "-"
};

// Throughputs in bytes/s.
struct Prediction {
    double measured = 0;
    double modelled = 0;      // by the model for the measured settings
    double predicted = 0;     // with the changes, scaled by measured / modelled
    double low = 0, high = 0; // interval of `predicted`
    std::string interval;     // how the interval was computed
    CycleParts before, after; // of one cycle
    Bottleneck bottleneck_before{}, bottleneck_after{};
    Certainty certainty{};            // of `predicted`
    std::vector<KeyVerdict> keys;     // for the measured settings, without the changes
    std::vector<std::string> remarks; // sentences: assumptions of the prediction

    // (x - measured) / measured, for the modelled and the predicted throughput.
    double model_error() const { return ratio(modelled - measured, measured); }
    double predicted_change() const { return ratio(predicted - measured, measured); }
};
Prediction predict(const ModelInput &, std::span<const Change>);
std::vector<KeyVerdict> key_verdicts(const ModelInput &);

// The bandwidth-delay product in bytes; empty if the rate or the round trip is not known.
std::optional<double> bandwidth_delay_product(const ModelInput &);
// Cycle of a Write to two mirrored targets behind one link, ns: fixed part of the farther one + 2·B/T.
double mirrored_cycle(const ModelInput &near, const ModelInput &far);

} // namespace iscsiscope
