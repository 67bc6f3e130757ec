// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of a capture held against TCP_INFO.
#pragma once

#include "truth.h"

#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/stream/capture_position.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::test {

struct CaptureSamples {
    std::string error; // empty: read
    std::uint16_t sender_port = 0;
    std::vector<TcpSample> samples; // of the busiest sender
};

// Reads a capture and infers; the direction with the most bytes of all connections is kept.
// without_timestamps: as if neither end used them.
CaptureSamples read_samples(const std::string &path, bool without_timestamps);

// Least tap-side round trips of the connection with the most frames, and where the tap stands. Empty without
// one.
struct MinTapRtts {
    Duration to_initiator{}, to_target{};
    CapturePosition position;
};
// skip: frames at the file's beginning that are left out. The target is known by its port, 3260.
std::optional<MinTapRtts> read_min_tap_rtts(const std::string &path, std::size_t skip);

// Rows of TCP_INFO with a segment sent at most 10 ms before, held against that segment's sample. Shares and
// errors are relative to the kernel's window.
struct Accuracy {
    // Kernel's congestion states, as the bars speak of them.
    enum State : std::size_t { open, recovery, loss };

    std::size_t limited = 0;           // the kernel's pipe within a packet of its window, state open
    std::size_t limited_estimated = 0; // of those: with an estimate
    std::size_t numbers = 0;           // rows with an estimate
    std::array<std::size_t, 3> rows_in{}, inside_in{}, below_in{}; // by State
    std::size_t below_low = 0, above_high = 0, high_known = 0;
    std::vector<double> errors;    // |estimate − cwnd|, of limited_estimated
    std::vector<double> elsewhere; // the same where the window did not limit
    std::vector<double> naive;     // of limited_estimated: greatest sent − acknowledged at the tap in 10 ms
    std::vector<double> widths;    // high − low where there is an estimate
    std::vector<double> widths_all; // and wherever both bounds are known
    // widths by what they may be: the larger of a quarter and twice the bytes sent in a millisecond, the
    // tick of Linux's timestamps.
    std::vector<double> allowed;
    std::array<std::size_t, 6> labels{};         // of SendLimit, over the rows
    std::array<std::size_t, 6> labels_limited{}; // over the limited ones

    std::size_t rows() const { return rows_in[open] + rows_in[recovery] + rows_in[loss]; }
    std::size_t inside() const { return inside_in[open] + inside_in[recovery] + inside_in[loss]; }
    void add(const Accuracy &);
};

// Nearest rank; NaN of nothing.
double quantile(std::vector<double>, double q);
inline double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// when: time at which the sender sent the segment that ends at an offset; from a capture at the sender.
// Samples with no such time there are left out. Without it the samples' own times count.
Accuracy compare(const std::vector<TcpSample> &, const std::vector<TcpInfoRow> &,
                 const std::vector<TcpSample> *sent_at = nullptr);

} // namespace iscsiscope::test
