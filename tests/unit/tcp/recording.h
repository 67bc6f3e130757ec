// SPDX-License-Identifier: GPL-2.0-or-later
// Records everything that the tcp room reports.
#pragma once

#include "analyzer/tcp/stream/tcp_engine.h"

#include <map>
#include <vector>

struct Recording final : iscsiscope::StreamSink, iscsiscope::AnomalySink {
    using Connection = iscsiscope::Connection;
    using Side = iscsiscope::Side;
    using StreamId = iscsiscope::StreamId;

    struct Piece {
        StreamId stream;
        Side side;
        std::uint64_t offset;
        std::uint32_t length;
        std::uint32_t captured;
        bool unseen;
        std::int64_t time_ns;
        iscsiscope::FrameNumber frame;
        std::vector<std::byte> bytes;
    };
    struct Closed {
        StreamId stream;
        iscsiscope::CloseReason reason;
        Connection connection;
    };
    std::vector<Connection> opened;
    std::vector<Piece> pieces;
    std::vector<iscsiscope::SegmentReport> reports;
    std::vector<Closed> closed;
    std::map<iscsiscope::AnomalyKind, int> anomalies;
    std::uint64_t needed_from = 0;

    void on_open(const Connection &c) override { opened.push_back(c); }
    void on_piece(const Connection &c, Side side, const iscsiscope::StreamPiece &p) override {
        pieces.push_back({c.stream,
                          side,
                          p.offset,
                          p.length,
                          p.captured,
                          p.unseen,
                          iscsiscope::to_ns(p.first_seen),
                          p.frame,
                          {p.bytes.begin(), p.bytes.end()}});
    }
    void on_segment(const Connection &, const iscsiscope::SegmentReport &r) override { reports.push_back(r); }
    void on_close(const Connection &c, iscsiscope::CloseReason reason, iscsiscope::Time,
                  iscsiscope::FrameNumber) override {
        closed.push_back({c.stream, reason, c});
    }
    std::uint64_t content_needed_from(const Connection &, Side) override { return needed_from; }
    void on_anomaly(const iscsiscope::Anomaly &a) override { ++anomalies[a.kind]; }
};
