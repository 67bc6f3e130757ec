// SPDX-License-Identifier: GPL-2.0-or-later
// TcpDiagnosis: diagnoses all connections from the segment reports of TcpEngine: a TcpSample for every
// segment of new data, retransmissions, reordering, and the figures of each direction. It is independent of
// iSCSI.
#pragma once

#include "analyzer/tcp/diagnosis/history/send_circumstances.h"
#include "analyzer/tcp/diagnosis/short_ways.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/tcp_figures.h"

#include <memory>

namespace iscsiscope {

class TcpDiagnosisSink : public TcpSampleSink {
public:
    virtual void on_retransmission(const Connection &, const TcpRetransmission &) = 0;
    virtual void on_reordering(const Connection &, const TcpReordering &) = 0;
};

// Several threads may call it at a time, each for other connections; the sink must outlive the object. Memory
// per open connection is limited.
class TcpDiagnosis {
public:
    // report_samples: true passes each TcpSample on to the sink.
    explicit TcpDiagnosis(TcpDiagnosisSink &, bool report_samples = true, ShortWays = ShortWays::taken);
    ~TcpDiagnosis();

    // True if it has taken a segment of the connection, and no on_close().
    static bool follows(const Connection &);
    // To be called for every segment of a connection, in the order of StreamSink::on_segment. Returns what
    // its sender had waited for, valid until the next call for the connection. Null: there is nothing to be
    // said of it: it brings neither new nor lost data, or follows the segment before without a wait.
    const SendCircumstances *on_segment(const Connection &, const SegmentReport &);
    // Adds a sample of the tap-side round trip tap → end → tap from an answer that passed the tap at
    // `answered`, without the end's own processing time: R2T → first Data-Out, or command → first Data-In
    // less the least service time; needed where no timestamps are in use. To be called when the answer
    // passes.
    static void tap_rtt_seen(const Connection &, Side end, Time answered, Duration tap_rtt);
    // At the end of the connection, once and before on_close(): reports the retransmissions that are still
    // undecided and returns the figures.
    TcpDirectionFigures finish(const Connection &, Side sender, Time at);
    // Frees the connection's state.
    void on_close(const Connection &);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
