// SPDX-License-Identifier: GPL-2.0-or-later
// Reports of the tcp room → a TcpSample for every segment of new data, of both directions.
#pragma once

#include "analyzer/tcp/inference/tcp_sample.h"

#include <memory>

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

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
