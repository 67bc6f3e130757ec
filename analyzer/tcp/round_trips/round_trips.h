// SPDX-License-Identifier: GPL-2.0-or-later
// RoundTrips: the samplers of one connection. In: what each segment says of round trips, once, from
// TcpEngine. Out: answers and samples, into the tracks of the two ends (RttTrack), which lie with what
// observers see of the connection. A segment that continues a run brings nothing new.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/hosts/side.h"
#include "analyzer/tcp/round_trips/echo_sampler.h"
#include "analyzer/tcp/round_trips/rtt_sampler.h"

#include <array>
#include <cstdint>
#include <memory>

namespace iscsiscope {

class RoundTrips {
public:
    // Data.
    // A segment of new data in order, up to this offset of its sender's stream, passed.
    void sent(Side sender, std::uint64_t end, Time when) { made(sender).data.sent(end, when); }
    // Bytes of this sender passed again.
    void sent_again(Side sender) {
        if (Samplers *s = of(sender))
            s->data.retransmitted();
    }
    // The receiver has ACKed further data.
    void acked(Side receiver, const TimedAck &ack, RttTrack &to_receiver) {
        if (Samplers *s = of(other(receiver)))
            s->data.acked(ack, to_receiver);
    }

    // Timestamps (EchoSampler).
    void stamp_sent(Side sender, std::uint32_t stamp, std::uint64_t offset, std::uint64_t end,
                    std::uint64_t acked, Time when) {
        made(other(sender)).echoes.stamp_sent(stamp, offset, end, acked, when);
    }
    void stamp_echoed(Side sender, std::uint32_t stamp, Time when, Duration pause, std::uint64_t acked,
                      RttTrack &to_sender) {
        if (Samplers *s = of(sender))
            s->echoes.stamp_echoed(stamp, when, pause, acked, to_sender);
    }

    // The handshake, whose answers are the work of TCP alone.
    // The first SYN of an end passed. answer: it carries an ACK.
    void syn(bool answer, Time when, RttTrack &to_sender) {
        (answer ? syn_ack_ : syn_) = when;
        if (answer && syn_)
            add_handshake(*syn_, when, to_sender);
    }
    // It passed again: it is not known which copy is answered (Karn's rule).
    void syn_again(Side sender, bool answer) {
        (answer ? syn_ack_ : syn_).reset();
        if (Samplers *s = of(other(sender)))
            s->echoes.forget();
    }
    // The capture's clock was set: no time from before to later is known.
    void forget() {
        for (const std::unique_ptr<Samplers> &s : samplers_)
            if (s) {
                s->data.retransmitted();
                s->echoes.forget();
            }
        syn_.reset();
        syn_ack_.reset();
    }
    // A SYN with ACK passed whose ACK has not.
    bool awaits_third_step() const { return syn_ack_.has_value(); }
    // That ACK passed, or (answer: false) something that says when it would have.
    void third_step(bool answer, Time when, RttTrack &to_opener) {
        if (answer)
            add_handshake(*syn_ack_, when, to_opener);
        syn_ack_.reset();
    }

private:
    // Those of one end; they take memory once it was sent something whose answer can be timed.
    struct Samplers {
        RttSampler data;    // times the data that this end sent
        EchoSampler echoes; // times the stamps that the other end sent to this one
    };

    Samplers *of(Side end) { return samplers_[index(end)].get(); }
    Samplers &made(Side end) {
        std::unique_ptr<Samplers> &samplers = samplers_[index(end)];
        if (!samplers)
            samplers = std::make_unique<Samplers>();
        return *samplers;
    }
    static void add_handshake(Time from, Time to, RttTrack &track) {
        track.add_answer(to - from);
        track.add_sample(to - from, from);
        track.handshake_timed = is_tap_rtt(to - from);
    }

    std::array<std::unique_ptr<Samplers>, 2> samplers_; // by Side
    CompactOptional<Time> syn_;                         // empty: none, it was repeated, or it is answered
    CompactOptional<Time> syn_ack_;                     // likewise
};

} // namespace iscsiscope
