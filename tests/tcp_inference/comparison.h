// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of a capture held against TCP_INFO.
#pragma once

#include "truth.h"

#include "analyzer/tcp/inference/tcp_sample.h"

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

struct Accuracy {
    std::size_t rows = 0;    // of TCP_INFO with a segment sent at most 10 ms before
    std::size_t limited = 0; // of those: the kernel's pipe within a packet of its window, state open
    std::size_t limited_estimated = 0;      // of those: with an estimate
    std::size_t estimated = 0;              // with an estimate
    double median = 0, p90 = 0;             // |estimate − cwnd| / cwnd
    double naive_median = 0, naive_p90 = 0; // sent − acknowledged at the tap, greatest of the last 10 ms
    double below_low = 0, above_high = 0;   // share of all rows
    double high_known = 0;
    double width_median = 0; // (high − low) / cwnd where both are known
};

// when: time at which the sender sent the segment that ends at an offset; from a capture at the sender.
// Samples with no such time there are left out. Without it the samples' own times count.
Accuracy compare(const std::vector<TcpSample> &, const std::vector<TcpInfoRow> &,
                 const std::vector<TcpSample> *sent_at = nullptr);

} // namespace iscsiscope::test
