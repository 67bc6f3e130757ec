// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/tcp_inference.h"

#include "analyzer/tcp/inference/sender_view.h"

#include <array>

namespace iscsiscope {

struct TcpInference::State {
    TcpSampleSink &sink;
    const ShortWays short_ways;
    struct Views final : RoomNotes {
        explicit Views(ShortWays s) : senders{SenderView{s}, SenderView{s}} {}
        std::array<SenderView, 2> senders;
    };

    static Views *find(const Connection &c) { return c.notes->find<Views>(NotesOf::inference); }
    Views &at(const Connection &c) const {
        return c.notes->find_or_make<Views>(NotesOf::inference, short_ways);
    }
};

TcpInference::TcpInference(TcpSampleSink &sink, ShortWays short_ways)
    : state_(std::make_unique<State>(State{.sink = sink, .short_ways = short_ways})) {}

TcpInference::~TcpInference() = default;

void TcpInference::on_segment(const Connection &c, const SegmentReport &report) {
    State::Views &views = state_->at(c);
    // The ACK of the segment is handled before its data.
    views.senders[index(other(report.side))].acknowledged(c, other(report.side), report);
    TcpSample sample;
    if (views.senders[index(report.side)].sent(c, report, sample))
        state_->sink.on_tcp_sample(c, sample);
}

void TcpInference::on_close(const Connection &c) {
    c.notes->drop(NotesOf::inference);
}

void TcpInference::tap_rtt_seen(const Connection &c, Side end, Time answered, Duration tap_rtt) {
    if (State::Views *v = State::find(c))
        v->senders[index(end)].tap_rtt_seen(answered, tap_rtt);
}

std::optional<std::uint8_t> TcpInference::learnt_window_scale(const Connection &c, Side receiver) const {
    const State::Views *v = State::find(c);
    return v != nullptr ? v->senders[index(other(receiver))].learnt_window_scale() : std::nullopt;
}

} // namespace iscsiscope
