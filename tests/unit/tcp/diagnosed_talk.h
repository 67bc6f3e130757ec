// SPDX-License-Identifier: GPL-2.0-or-later
// A conversation made by hand, packet by packet, and what TcpDiagnosis reports of it.
#pragma once

#include "catch.h"
#include "traffic.h"

#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <numeric>

namespace traffic {

constexpr std::int64_t ms = 1'000'000;

class Diagnosed final : public StreamSink, public AnomalySink, public TcpDiagnosisSink {
public:
    std::vector<TcpRetransmission> repeats;
    std::vector<TcpReordering> reorderings;
    std::array<TcpDirectionFigures, 2> figures;
    std::vector<TcpSample> samples;
    SendCircumstances last; // of the last segment with payload

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override {
        const SendCircumstances *described = diagnosis_.on_segment(c, r);
        if (r.segment->payload_length != 0)
            last = described != nullptr ? *described : SendCircumstances{};
    }
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override {
        for (const Side s : {Side::opener, Side::acceptor})
            figures[index(s)] = diagnosis_.finish(c, s, c.last_time);
        diagnosis_.on_close(c);
    }
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }
    void on_anomaly(const Anomaly &) override {}
    void on_tcp_sample(const Connection &, const TcpSample &s) override { samples.push_back(s); }
    void on_retransmission(const Connection &, const TcpRetransmission &r) override { repeats.push_back(r); }
    void on_reordering(const Connection &, const TcpReordering &r) override { reorderings.push_back(r); }

private:
    TcpDiagnosis diagnosis_{*this, true};
};

// A conversation with timestamps, tapped at the opener, 10 ms from the acceptor and back.
class Talk {
public:
    Diagnosed out;

    explicit Talk(std::uint16_t mss = 1460, bool sack = false) {
        for (const traffic::Packet &p : traffic::handshake()) {
            Segment s = traffic::segment(p, ++frame_);
            s.options.has_mss = (p.flags & tcp_syn) != 0;
            s.options.mss = mss;
            s.options.has_window_scale = s.options.has_mss;
            s.options.sack_permitted = sack && s.options.has_mss;
            now += p.side == 1 ? 10 * ms : 10'000;
            feed(s);
        }
    }
    // data of the opener at an offset of its stream; stamp: its TSval.
    void data(std::uint32_t offset, std::uint32_t length, std::uint32_t stamp) {
        Segment s = traffic::segment({.side = 0,
                                      .sequence = traffic::initial_sequence[0] + offset,
                                      .acknowledgment = traffic::initial_sequence[1],
                                      .payload = {}},
                                     ++frame_);
        s.payload_length = length;
        s.options.timestamp_value = stamp;
        feed(s);
    }
    void ack(std::uint32_t offset, std::uint16_t window = 60000, std::uint32_t left = 0,
             std::uint32_t right = 0) {
        Segment s = traffic::segment({.side = 1,
                                      .sequence = traffic::initial_sequence[1],
                                      .acknowledgment = traffic::initial_sequence[0] + offset,
                                      .window = window,
                                      .payload = {}},
                                     ++frame_);
        s.options.timestamp_echo = echo;
        if (right != 0) {
            s.options.sack_count = 1;
            s.options.sack[0] = {traffic::initial_sequence[0] + left, traffic::initial_sequence[0] + right};
        }
        feed(s);
    }
    // Data of the acceptor, or an ACK of the opener for it. sent, answered: offsets of the streams of the
    // opener and of the acceptor.
    void answer(std::uint32_t sent, std::uint32_t answered, std::uint32_t length) {
        pass(1, answered, sent, length);
    }
    void ack_answer(std::uint32_t sent, std::uint32_t answered) { pass(0, sent, answered, 0); }
    const TcpDirectionFigures &finish() {
        engine_.finish();
        const TcpDirectionFigures &f = out.figures[0];
        const auto whole = std::accumulate(f.limit_time.begin(), f.limit_time.end(), Duration{});
        CHECK(whole == f.end - f.start);
        return f;
    }
    std::int64_t now = 1'000 * ms;
    std::uint32_t echo = 0; // of the ACKs

private:
    void pass(std::uint8_t side, std::uint32_t own, std::uint32_t of_peer, std::uint32_t length) {
        Segment s = traffic::segment({.side = side,
                                      .sequence = traffic::initial_sequence[side] + own,
                                      .acknowledgment = traffic::initial_sequence[1 - side] + of_peer,
                                      .payload = {}},
                                     ++frame_);
        s.payload_length = length;
        feed(s);
    }
    void feed(Segment &s) {
        s.time = time_from_ns(now);
        s.options.has_timestamps = true;
        engine_.feed(s);
    }
    FedTcp engine_{out, out};
    FrameNumber frame_ = 0;
};

} // namespace traffic
