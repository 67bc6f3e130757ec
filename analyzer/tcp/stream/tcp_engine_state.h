// SPDX-License-Identifier: GPL-2.0-or-later
// The state of TcpEngine, common to its source files, and the PieceForwarder from a SideStream to the sink.
#pragma once

#include "analyzer/tcp/stream/connection_state.h"
#include "analyzer/tcp/stream/tcp_engine.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace iscsiscope {

struct TcpEngine::State {
    StreamSink &sink;
    AnomalySink &anomalies;
    TcpEngineOptions options;
    std::vector<std::unique_ptr<ConnectionState>> slots; // by slot of the directory

    void take(const Placement &, const Segment &);
    ConnectionState &open(const Placement &, const Segment &);
    void close(const Closing &);
    void handle_syn(ConnectionState &, Side, const Segment &);
    bool handle_ack(ConnectionState &, Side, const Segment &, bool window_kept);
    void take_payload(ConnectionState &, Side, const Segment &, SegmentReport &);
    void sample_echo(ConnectionState &, Side, const Segment &, Duration pause, bool repeated_syn);
    bool is_damaged(ConnectionState &, Side, const Segment &);
    void feed_run(ConnectionState &, Side, const Segment &);
    void follow(ConnectionState &, Side, const Segment &);
    void handle_end(ConnectionState &, Side, const Segment &);
    void check_hole(ConnectionState &, Side, Time, FrameNumber);
    void note_missed(ConnectionState &, Side, Time now);
    void check_missed(ConnectionState &, Time now, FrameNumber);
    void check_order(ConnectionState &, Time now);
    void give_up_acknowledged(ConnectionState &, Time, FrameNumber);
    void give_up_all(ConnectionState &, Time, FrameNumber);
};

// Forwards the pieces and anomalies of a SideStream to the sinks, with their connection. A piece whose sender
// had received bytes that are not delivered yet goes to the connection's PieceOrder, and so does any piece
// behind one that waits there; unless the sink needs content of neither direction.
class PieceForwarder final : public SideStream::Output {
public:
    PieceForwarder(StreamSink &sink, AnomalySink &anomalies, ConnectionState &state, Side side)
        : sink_(sink), anomalies_(anomalies), state_(state), side_(side) {}

    void piece(const StreamPiece &piece) override {
        const Side peer = other(side_);
        const bool early =
            piece.waits_for(std::max(delivered(peer), state_.order ? state_.order->waived(peer) : 0));
        if (early || (state_.order && state_.order->keeps(side_))) [[unlikely]]
            keep(piece);
        else
            deliver(side_, piece);
    }
    // Delivers the pieces of either side that no longer wait for the other direction; with `all`, every
    // piece.
    void release(bool all);
    std::uint64_t content_needed_from() override {
        return sink_.content_needed_from(state_.connection, side_);
    }
    void anomaly(AnomalyKind kind, FrameNumber frame, std::int64_t detail) override {
        anomalies_.on_anomaly({.kind = kind,
                               .frame = known_frame(frame),
                               .stream = state_.connection.stream,
                               .detail = detail});
    }

private:
    std::uint64_t delivered(Side s) const {
        const ConnectionEnd &end = state_.connection.end(s);
        return end.stream_bytes + end.unseen_bytes;
    }
    void deliver(Side side, const StreamPiece &piece) {
        ConnectionEnd &end = state_.connection.ends[index(side)];
        (piece.unseen ? end.unseen_bytes : end.stream_bytes) += piece.length;
        sink_.on_piece(state_.connection, side, piece);
    }
    void keep(const StreamPiece &);

    StreamSink &sink_;
    AnomalySink &anomalies_;
    ConnectionState &state_;
    Side side_;
};

} // namespace iscsiscope
