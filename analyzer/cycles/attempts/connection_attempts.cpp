// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/attempts/connection_attempts.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// The initial retransmission timeout of a SYN (RFC 6298 section 2), and its value before that (RFC 1122).
constexpr Duration syn_timeout = 1s, long_syn_timeout = 3s;
// A SYN repeated sooner is a second copy of the frame (two interfaces, a router), not a timeout.
constexpr Duration min_syn_timeout = syn_timeout / 2;

} // namespace

void ConnectionAttempts::opened(const HandshakeRecord &s) {
    const auto found = pending_.find(s.stream);
    if (found != pending_.end()) {
        AttemptRecord &r = found->second.record;
        found->second.last_frame = s.frame;
        if (s.time - r.end < min_syn_timeout)
            return;
        ++r.syns;
        r.end = s.time;
        r.last_syn_frame = s.frame;
        return;
    }
    if (s.answered) // a SYN that was answered, repeated
        return;
    if (pending_.size() == max_pending)
        report_oldest();
    AttemptRecord r;
    r.stream = s.stream;
    r.initiator = s.source;
    r.portal = s.destination;
    const std::uint16_t port = s.destination.port;
    r.known_port =
        port == 3260 || port == 860 || std::find(ports_.begin(), ports_.end(), port) != ports_.end();
    r.syns = 1;
    r.start = r.end = s.time;
    r.first_frame = r.last_syn_frame = s.frame;
    pending_.emplace(s.stream, Pending{r, s.sequence, s.frame});
}

void ConnectionAttempts::on(const HandshakeRecord &s) {
    const bool ack = (s.flags & tcp_ack) != 0;
    if ((s.flags & tcp_syn) != 0 && !ack) {
        if (s.sender == Side::opener)
            opened(s);
        return;
    }
    if (s.sender != Side::acceptor)
        return;
    const auto found = pending_.find(s.stream);
    if (found == pending_.end())
        return;
    if ((s.flags & tcp_syn) != 0)
        return answered(found, AttemptOutcome::accepted, s.time, s.frame);
    // RFC 9293 section 3.10.7.3: a RST that does not acknowledge the SYN does not end the attempt.
    if (ack && s.acknowledgment == found->second.sequence + 1)
        answered(found, AttemptOutcome::refused, s.time, s.frame);
}

void ConnectionAttempts::answered(std::map<StreamId, Pending>::iterator at, AttemptOutcome outcome, Time time,
                                  FrameNumber frame) {
    AttemptRecord r = at->second.record;
    pending_.erase(at);
    r.outcome = outcome;
    r.portal_seen = frame != 0;
    r.end = std::max(r.end, time);
    r.answer_frame = known_frame(frame);
    report_(r);
}

void ConnectionAttempts::on(const ForgottenRecord &c) {
    for (const std::optional<IpAddress> &host : c.hosts)
        if (host && hosts_.size() < max_hosts)
            hosts_.insert(*host);
    if (pending_.empty())
        return;
    const auto found = pending_.find(c.stream);
    // Segments after the SYN: the answer is not in the capture, but was there.
    if (found != pending_.end() && c.last_frame > found->second.last_frame)
        answered(found, AttemptOutcome::accepted, found->second.record.end, 0);
}

// Whether an attempt without an answer in the capture got none.
AttemptOutcome ConnectionAttempts::without_answer(const AttemptRecord &r) const {
    const Duration since = last_time_ ? *last_time_ - r.end : Duration{};
    const std::uint32_t waits = r.syns - 1 + (since >= syn_timeout ? 1 : 0);
    const bool given_up = since >= long_syn_timeout && r.portal_seen;
    return waits >= 2 || given_up ? AttemptOutcome::unanswered : AttemptOutcome::not_known;
}

void ConnectionAttempts::report_oldest() {
    AttemptRecord r = pending_.begin()->second.record;
    pending_.erase(pending_.begin());
    r.portal_seen = hosts_.contains(r.portal.address);
    r.outcome = without_answer(r);
    report_(r);
}

void ConnectionAttempts::finish() {
    while (!pending_.empty())
        report_oldest();
}

} // namespace iscsiscope
