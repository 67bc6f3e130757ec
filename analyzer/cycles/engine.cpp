// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/engine.h"

#include "analyzer/cycles/cycle_engine.h"

namespace iscsiscope {
namespace {

// Stands between the tcp and the iscsi room where a front end wants to be told each segment.
class SegmentTeller final : public StreamSink {
public:
    SegmentTeller(IscsiEngine &next, RecordSink &sink) : next_(next), sink_(sink) {}

    void on_open(const Connection &c) override { next_.on_open(c); }
    void on_piece(const Connection &c, Side s, const StreamPiece &p) override { next_.on_piece(c, s, p); }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        next_.on_segment(c, r);
        sink_.on_segment(c, r);
    }
    void on_close(const Connection &c, CloseReason r, Time at, FrameNumber f) override {
        next_.on_close(c, r, at, f);
    }
    std::uint64_t content_needed_from(const Connection &c, Side s) override {
        return next_.content_needed_from(c, s);
    }

private:
    IscsiEngine &next_;
    RecordSink &sink_;
};

} // namespace

struct Engine::State {
    CycleEngine cycles;
    IscsiEngine iscsi;
    SegmentTeller teller;
    TcpEngine tcp;

    State(RecordSink &sink, EngineOptions options)
        : cycles(sink, options.cycles), iscsi(cycles, sink, std::move(options.iscsi)), teller(iscsi, sink),
          tcp(sink.wants_progress() ? static_cast<StreamSink &>(teller) : iscsi, sink, options.tcp) {}
};

Engine::Engine(RecordSink &sink, EngineOptions options)
    : state_(std::make_unique<State>(sink, std::move(options))) {}

Engine::~Engine() = default;

void Engine::feed(const Segment &segment) {
    state_->tcp.feed(segment);
}

void Engine::finish() {
    state_->tcp.finish();
}

const IscsiCoverage &Engine::coverage() const {
    return state_->iscsi.coverage();
}

std::uint64_t Engine::tcp_connections() const {
    return state_->tcp.connections_met();
}

} // namespace iscsiscope
