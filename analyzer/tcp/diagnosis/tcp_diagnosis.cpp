// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"

#include "analyzer/tcp/diagnosis/sender.h"
#include "analyzer/tcp/quantiles.h"
#include "analyzer/tcp/round_trips/round_trip_statistics.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

struct TcpDiagnosis::State final : DirectionSink {
    struct Directions final : RoomNotes {
        explicit Directions(ShortWays s)
            : of{Sender{Side::opener, round_trips, s}, Sender{Side::acceptor, round_trips, s}} {}
        RoundTripStatistics round_trips;
        std::array<Sender, 2> of; // by Side

        // The whole round trip has a new sample.
        void whole_trip(const Connection &c, const Segment &s) {
            const Duration sample = WholeTrip::length(c.ends[0].rtt, c.ends[1].rtt);
            const Side end = round_trips.whole().latest().longer;
            // Of the tap-side round trip to the receiver it is the first segment that may be one of this
            // sender; of the other tap-side round trip, the last one.
            for (const Side sender : {Side::opener, Side::acceptor})
                of[index(sender)].round_trip(sample, end == sender ? s.time : c.end(end).rtt.latest_from,
                                             end != sender);
        }

        // The scale of the windows that this end announces if a SYN is not in the capture: the smallest with
        // which no segment lies beyond the window. Empty if the SYNs give the scale, or nothing was learnt.
        std::optional<std::uint8_t> learnt_window_scale(Side receiver) const {
            return of[index(other(receiver))].learnt_window_scale();
        }
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

const SendCircumstances *TcpDiagnosis::on_segment(const Connection &c, const SegmentReport &r) {
    State::Directions &d = state_->at(c);
    if (!r.continues_run && d.round_trips.take(c.ends[0].rtt, c.ends[1].rtt))
        d.whole_trip(c, *r.segment);
    d.of[index(other(r.side))].answered(c, r, *state_);
    return d.of[index(r.side)].sent(c, r, *state_);
}

bool TcpDiagnosis::follows(const Connection &c) {
    return State::find(c) != nullptr;
}

TcpDirectionFigures TcpDiagnosis::finish(const Connection &c, Side sender, Time at) {
    State::Directions &d = state_->at(c);
    TcpDirectionFigures f = d.of[index(sender)].finish(c, at, *state_);
    f.ecn = f.ecn && d.of[index(other(sender))].ecn_agreed();
    if (const Histogram *samples = d.round_trips.wholes())
        f.rtt = quantiles_of(*samples);
    // Without both SYNs the scale is inferred from the bytes in flight.
    const Side receiver = other(sender);
    if (const auto scale = d.learnt_window_scale(receiver)) {
        for (auto *w : {&f.largest_window, &f.smallest_window})
            if (*w)
                *w = **w << *scale;
    } else if (!c.end(receiver).window_scale_known) {
        f.largest_window.reset();
        f.smallest_window.reset();
    }
    if (const auto scale = d.learnt_window_scale(sender)) {
        f.window_scale = *scale;
        f.window_scale_inferred = true;
    }
    return f;
}

void TcpDiagnosis::tap_rtt_seen(const Connection &c, Side end, Time answered, Duration tap_rtt) {
    if (State::Directions *d = State::find(c))
        d->of[index(end)].tap_rtt_seen(answered, tap_rtt);
}

void TcpDiagnosis::on_close(const Connection &c) {
    c.notes->drop(NotesOf::diagnosis);
}

} // namespace iscsiscope
