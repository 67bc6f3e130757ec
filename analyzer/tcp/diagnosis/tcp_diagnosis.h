// SPDX-License-Identifier: GPL-2.0-or-later
// TcpDiagnosis: diagnoses all connections from the segment reports of TcpEngine: retransmissions,
// reordering, and the figures of each direction. It runs the TcpInference. It is independent of iSCSI.
#pragma once

#include "analyzer/tcp/diagnosis/send_circumstances.h"
#include "analyzer/tcp/inference/short_ways.h"
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
    // To be called for every segment of a connection, in the order of StreamSink::on_segment.
    void on_segment(const Connection &, const SegmentReport &);
    // Returns the circumstances of the sender's last payload segment, valid until the next on_segment() of
    // the connection. Null before its first one, and after on_close().
    static const SendCircumstances *circumstances(const Connection &, Side sender);
    // True if the last window announced to this sender was zero.
    bool zero_window(const Connection &, Side sender) const;
    // As TcpInference::tap_rtt_seen().
    void tap_rtt_seen(const Connection &, Side end, Time answered, Duration tap_rtt);
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
