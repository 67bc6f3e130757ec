// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"

#include "analyzer/base/histogram.h"
#include "analyzer/tcp/diagnosis/sender.h"
#include "analyzer/tcp/quantiles.h"
#include "analyzer/tcp/stream/whole_trip.h"

#include <array>
#include <memory>

namespace iscsiscope {

struct TcpDiagnosis::State final : DirectionSink {
    struct Directions final : RoomNotes {
        explicit Directions(ShortWays s)
            : of{Sender{Side::opener, tap_rtts, s}, Sender{Side::acceptor, tap_rtts, s}} {}
        EndTapRtts tap_rtts;
        WholeTrip whole_trip;
        std::unique_ptr<Histogram> round_trips; // of the whole path; null: none was timed
        std::array<Sender, 2> of;               // by Side
    };

    State(TcpDiagnosisSink &s, bool samples, ShortWays ways)
        : sink(s), report_samples(samples), short_ways(ways) {}

    TcpDiagnosisSink &sink;
    const bool report_samples;
    const ShortWays short_ways;

    static Directions *find(const Connection &c) { return c.notes->find<Directions>(NotesOf::diagnosis); }
    Directions &at(const Connection &c) const {
        return c.notes->find_or_make<Directions>(NotesOf::diagnosis, short_ways);
    }

    void sample(const Connection &c, const TcpSample &s) override {
        if (report_samples)
            sink.on_tcp_sample(c, s);
    }
    void retransmission(const Connection &c, const TcpRetransmission &r) override {
        sink.on_retransmission(c, r);
    }
    void reordering(const Connection &c, const TcpReordering &r) override { sink.on_reordering(c, r); }
};

TcpDiagnosis::TcpDiagnosis(TcpDiagnosisSink &sink, bool report_samples, ShortWays short_ways)
    : state_(std::make_unique<State>(sink, report_samples, short_ways)) {}

TcpDiagnosis::~TcpDiagnosis() = default;

void TcpDiagnosis::on_segment(const Connection &c, const SegmentReport &r) {
    State::Directions &d = state_->at(c);
    if (!r.continues_run) {
        for (const Side end : {Side::opener, Side::acceptor})
            d.tap_rtts[index(end)].follow(c.end(end).rtt);
        if (const auto sample = d.whole_trip.follow(c)) {
            if (!d.round_trips)
                d.round_trips = std::make_unique<Histogram>();
            d.round_trips->add(sample->count());
            for (const Side sender : {Side::opener, Side::acceptor}) {
                // Of the tap-side round trip to the receiver it is the first segment that may be one of this
                // sender; of the other tap-side round trip, the last one.
                const Side end = d.whole_trip.longer();
                const Time when = end == sender ? r.segment->time : c.end(end).rtt.latest_from;
                d.of[index(sender)].round_trip(*sample, when, end != sender);
            }
        }
    }
    d.of[index(other(r.side))].answered(c, r, *state_);
    d.of[index(r.side)].sent(c, r, *state_);
}

bool TcpDiagnosis::follows(const Connection &c) {
    return State::find(c) != nullptr;
}

const SendCircumstances *TcpDiagnosis::circumstances(const Connection &c, Side sender) {
    const State::Directions *d = State::find(c);
    return d != nullptr ? &d->of[index(sender)].circumstances() : nullptr;
}

bool TcpDiagnosis::zero_window(const Connection &c, Side sender) const {
    const State::Directions *d = State::find(c);
    return d != nullptr && d->of[index(sender)].zero_window();
}

TcpDirectionFigures TcpDiagnosis::finish(const Connection &c, Side sender, Time at) {
    State::Directions &d = state_->at(c);
    TcpDirectionFigures f = d.of[index(sender)].finish(c, at, *state_);
    f.ecn = f.ecn && d.of[index(other(sender))].ecn_agreed();
    if (d.round_trips)
        f.rtt = quantiles_of(*d.round_trips);
    // Without both SYNs the scale is inferred from the bytes in flight.
    const Side receiver = other(sender);
    if (const auto scale = learnt_window_scale(c, receiver)) {
        for (auto *w : {&f.largest_window, &f.smallest_window})
            if (*w)
                *w = **w << *scale;
    } else if (!c.end(receiver).window_scale_known) {
        f.largest_window.reset();
        f.smallest_window.reset();
    }
    if (const auto scale = learnt_window_scale(c, sender)) {
        f.window_scale = *scale;
        f.window_scale_inferred = true;
    }
    return f;
}

std::optional<std::uint8_t> TcpDiagnosis::learnt_window_scale(const Connection &c, Side receiver) {
    const State::Directions *d = State::find(c);
    return d != nullptr ? d->of[index(other(receiver))].learnt_window_scale() : std::nullopt;
}

void TcpDiagnosis::tap_rtt_seen(const Connection &c, Side end, Time answered, Duration tap_rtt) {
    if (State::Directions *d = State::find(c))
        d->of[index(end)].tap_rtt_seen(answered, tap_rtt);
}

void TcpDiagnosis::on_close(const Connection &c) {
    c.notes->drop(NotesOf::diagnosis);
}

} // namespace iscsiscope
