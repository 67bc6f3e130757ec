// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/tcp_inference.h"

#include "analyzer/tcp/inference/sender_view.h"

#include <array>
#include <vector>

namespace iscsiscope {

struct TcpInference::State {
    TcpSampleSink &sink;
    const ShortWays short_ways;
    TcpSample sample; // the sample being made
    struct Views {
        Views(StreamId number, ShortWays s) : stream(number), senders{SenderView{s}, SenderView{s}} {}
        StreamId stream;
        std::array<SenderView, 2> senders;
    };
    std::vector<std::unique_ptr<Views>> slots; // by connection slot
    Views *recent = nullptr;                   // of the last segment's connection

    Views *find(const Connection &c) const {
        Views *v = c.slot < slots.size() ? slots[c.slot].get() : nullptr;
        return v != nullptr && v->stream == c.stream ? v : nullptr;
    }
    Views &at(const Connection &c) {
        if (recent == nullptr || recent->stream != c.stream)
            recent = &make(c);
        return *recent;
    }
    Views &make(const Connection &c) {
        if (c.slot >= slots.size())
            slots.resize(c.slot + std::size_t{1});
        auto &views = slots[c.slot];
        if (!views || views->stream != c.stream)
            views = std::make_unique<Views>(c.stream, short_ways);
        return *views;
    }
};

TcpInference::TcpInference(TcpSampleSink &sink, ShortWays short_ways)
    : state_(
          std::make_unique<State>(State{.sink = sink, .short_ways = short_ways, .sample = {}, .slots = {}})) {
}

TcpInference::~TcpInference() = default;

void TcpInference::on_segment(const Connection &c, const SegmentReport &report) {
    State::Views &views = state_->at(c);
    // The ACK of the segment is handled before its data.
    views.senders[index(other(report.side))].acknowledged(c, other(report.side), report);
    if (views.senders[index(report.side)].sent(c, report, state_->sample))
        state_->sink.on_tcp_sample(c, state_->sample);
}

void TcpInference::on_close(const Connection &c) {
    state_->recent = nullptr;
    if (c.slot < state_->slots.size())
        state_->slots[c.slot].reset();
}

void TcpInference::tap_rtt_seen(const Connection &c, Side end, Time answered, Duration tap_rtt) {
    if (State::Views *v = state_->find(c))
        v->senders[index(end)].tap_rtt_seen(answered, tap_rtt);
}

std::optional<std::uint8_t> TcpInference::learnt_window_scale(const Connection &c, Side receiver) const {
    const State::Views *v = state_->find(c);
    return v != nullptr ? v->senders[index(other(receiver))].learnt_window_scale() : std::nullopt;
}

} // namespace iscsiscope
