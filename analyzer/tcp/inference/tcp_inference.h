// SPDX-License-Identifier: GPL-2.0-or-later
// Reports of the tcp room → a TcpSample for every segment of new data, of both directions.
#pragma once

#include "analyzer/tcp/inference/tcp_sample.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

// Costs memory for each open connection: what is under way in each direction, bounded.
class TcpInference {
public:
    explicit TcpInference(TcpSampleSink &); // must outlive it
    ~TcpInference();

    // As StreamSink's: every segment of a connection from its first, in the order the tcp room tells them.
    void on_segment(const Connection &, const SegmentReport &);
    // Frees what is kept of it; without the call that happens when its slot is used again.
    void on_close(const Connection &);

    // An answer of this end took so long from the tap and back, its own work not counted: R2T → first
    // Data-Out, command → first Data-In less the least service time. Keeps the half loop fresh where
    // timestamps do not tell which ACK a sender knew. Times of the frames; call it when the answer passes.
    void half_loop_seen(const Connection &, Side end, Time answered, Duration loop);

    // Scale of the windows that this end announces, where no SYN tells it: the smallest with which no
    // sender has sent beyond them. Empty while the SYNs tell or nothing was learnt.
    std::optional<std::uint8_t> learnt_window_scale(const Connection &, Side receiver) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
