// SPDX-License-Identifier: GPL-2.0-or-later
// A small Reno sender with timestamps and SACK over a bottleneck, stepped event by event: what passes
// three taps, and the window it really had at each segment.
#pragma once

#include "analyzer/tcp/inference/tcp_sample.h"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace iscsiscope::test {

struct SyntheticSetting {
    unsigned seed = 1;
    double one_way_ms = 10;       // each way, beside the queue
    double packet_ms = 0.3;       // of the bottleneck, which stands in the middle of the way there
    std::size_t queue = 60;       // packets
    std::uint64_t packets = 6000; // to send
    std::uint64_t burst = 0;      // 0: data always waits; else packets written at a time, one burst a
                                  // pause: the application holds the sender
    double pause_ms = 60;
    double tap = 0;                 // 0 at the sender, 1 at the receiver; the bottleneck stands at 0.5
    double short_share = 0.05;      // packets that are not full
    double capture_loss = 0;        // share of frames that the capturing host lost
    std::uint64_t answer_every = 0; // packets after which the receiver sends 48 bytes of its own; 0: never
    bool timestamps = true;
    bool handshake = true; // in the capture
    // Not a window but a pace holds the sender: bursts of three at the bottleneck's rate times BBR's cycle
    // of gains, with a window of twice the bandwidth-delay product.
    bool paced = false;
    unsigned hint_every =
        0; // segments after which the round trip tap → sender → tap is told, as iSCSI would; 0: never
};

struct SyntheticTruth {
    std::uint64_t end_offset = 0;
    std::uint64_t cwnd = 0; // bytes, when the segment with this end was first sent
    std::uint64_t pipe = 0; // packets behind it
    bool limited = false;   // the window was what stopped the sender there, or had in the last round trip
};

struct SyntheticRun {
    std::vector<TcpSample> samples;    // of the data's sender
    std::vector<SyntheticTruth> truth; // in order of end_offset
    std::uint64_t retransmissions = 0;
    std::optional<std::uint8_t> learnt_scale; // of the receiver's windows
};

SyntheticRun run_synthetic(const SyntheticSetting &);

} // namespace iscsiscope::test
