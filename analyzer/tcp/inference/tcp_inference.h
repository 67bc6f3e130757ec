// SPDX-License-Identifier: GPL-2.0-or-later
// TcpInference: makes a TcpSample for every segment of new data, in both directions of every connection, from
// the segment reports of TcpEngine. Several threads may call it at a time, each for other connections.
#pragma once

#include "analyzer/tcp/inference/short_ways.h"
#include "analyzer/tcp/inference/tcp_sample.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

// Memory per open connection grows with the data in flight, up to a limit.
class TcpInference {
public:
    // The sink must outlive the object.
    explicit TcpInference(TcpSampleSink &, ShortWays = ShortWays::taken);
    ~TcpInference();

    // To be called for every segment of a connection, in the order of StreamSink::on_segment.
    void on_segment(const Connection &, const SegmentReport &);
    // Frees the connection's state. Without the call it is freed when the connection's slot is used again.
    void on_close(const Connection &);

    // Adds a sample of the tap-side round trip tap → end → tap from an answer that passed the tap at
    // `answered`, without the end's own processing time: R2T → first Data-Out, or command → first Data-In
    // less the least service time; needed where no timestamps are in use. To be called when the answer
    // passes.
    void tap_rtt_seen(const Connection &, Side end, Time answered, Duration tap_rtt);

    // Returns the scale of the windows that this end announces if a SYN is not in the capture: the smallest
    // with which no segment lies beyond the window. Empty if the SYNs give the scale, or nothing was learnt.
    std::optional<std::uint8_t> learnt_window_scale(const Connection &, Side receiver) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
