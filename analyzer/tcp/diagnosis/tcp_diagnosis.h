// SPDX-License-Identifier: GPL-2.0-or-later
// Reports of the tcp room → what its senders knew, lost and waited for. Knows nothing of iSCSI.
#pragma once

#include "analyzer/tcp/diagnosis/send_circumstances.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/tcp_figures.h"

#include <memory>

namespace iscsiscope {

class TcpDiagnosisSink : public TcpSampleSink {
public:
    virtual void on_retransmission(const Connection &, const TcpRetransmission &) = 0;
    virtual void on_reordering(const Connection &, const TcpReordering &) = 0;
};

// Not thread-safe; the sink must outlive it. Memory: what is under way of each open connection, bounded.
class TcpDiagnosis {
public:
    // report_samples: the sink is told each TcpSample, which else only the diagnosis uses.
    explicit TcpDiagnosis(TcpDiagnosisSink &, bool report_samples = true);
    ~TcpDiagnosis();

    // Every segment of a connection from its first, in the order the tcp room tells them.
    void on_segment(const Connection &, const SegmentReport &);
    // Of the sender of the segment that was just given, if it carried payload; valid until the next one. Null
    // before the first, and when its connection has closed.
    const SendCircumstances *circumstances() const;
    // The connection's receiver of this side's data last said "no room at all".
    bool zero_window(const Connection &, Side sender) const;
    // As TcpInference's: iSCSI's own answers keep the half loop fresh.
    void half_loop_seen(const Connection &, Side end, Time answered, Duration loop);
    // The connection has ended. Tells what is still undecided; once, before on_close.
    TcpDirectionFigures finish(const Connection &, Side sender, Time at);
    // Frees what is kept of it.
    void on_close(const Connection &);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
