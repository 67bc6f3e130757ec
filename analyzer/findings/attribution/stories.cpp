// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/stories.h"

#include "analyzer/findings/attribution/attribution.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using Kind = FindingKind;

// The two ways between a host and a target: not if both ends have the same addresses, as after a new login.
bool other_path(const ConnectionFacts &a, const ConnectionFacts &b) {
    return a.record.initiator.address != b.record.initiator.address || a.record.target != b.record.target;
}

// True if packets of the target come from another hardware address: another controller or machine has its
// address now, or another router leads to it.
bool address_moved_between(const ConnectionFacts &a, const ConnectionFacts &b) {
    return a.record.target.address == b.record.target.address && a.to_initiator && b.to_initiator &&
           b.to_initiator->face.mac != MacAddress{} && !b.to_initiator->face.other_macs &&
           a.to_initiator->face.foreign_mac({b.to_initiator->face.mac, 0});
}

// True if the connection ended behind a PDU with a wrong digest: the end that received it gives the
// connection up (RFC 7143 section 7.8, ErrorRecoveryLevel 0).
bool damaged_before(const FindingsInput &in, const Break &b) {
    const StreamId stream = b.connection->record.stream;
    constexpr std::uint8_t data_digest_error = 0x02; // of a Reject, section 11.17.1
    const auto before = [&](OptionalFrame frame) { return frame && (!b.end.known || *frame < b.end.frame); };
    const auto wrong = [&](const EndDigests &d) {
        return before(d.header.first_wrong) || before(d.data.first_wrong);
    };
    return in.sessions != nullptr &&
           (std::ranges::any_of(in.sessions->digests,
                                [&](const DigestFigures &d) {
                                    return d.stream == stream &&
                                           (wrong(d.of_initiator) || wrong(d.of_target));
                                }) ||
            std::ranges::any_of(in.sessions->conformance.rejects, [&](const RejectFigures &r) {
                return r.stream == stream && r.reason == data_digest_error && before(r.frame);
            }));
}

// True if the target sent nothing after this time but what TCP repairs.
bool silent_since(const ConnectionFacts &c, Time command) {
    return c.to_initiator && c.to_initiator->face.any &&
           c.to_initiator->face.last - command < std::chrono::seconds(1);
}

} // namespace

Stories::Stories(const FindingsInput &in, const Consequences &consequences)
    : breaks_(broken_connections(*in.facts)), evictions_(evictions(*in.facts)), mutual_(mutual(evictions_)) {
    for (const Break &b : breaks_) {
        const StreamId stream = b.connection->record.stream;
        if (auto f = foreign_reset(*in.facts, *b.connection, b.end))
            foreign_.emplace(stream, *f);
        if (auto r = restart_of(*in.facts, b))
            restarts_.emplace(stream, *r);
    }
    find_failovers(in);
    for (const Failover *f : failovers_)
        kinds_[f->from] = Kind::failover;
    for (const Break &b : breaks_)
        kinds_[b.connection->record.stream] = kind_of(b, in, consequences);
}

void Stories::find_failovers(const FindingsInput &in) {
    if (in.sessions == nullptr)
        return;
    for (const Failover &f : in.sessions->paths.failovers) {
        const ConnectionFacts *from = connection_of(*in.facts, f.from), *to = connection_of(*in.facts, f.to);
        if (from == nullptr || to == nullptr)
            continue;
        const bool moved = address_moved_between(*from, *to);
        if (!moved && !other_path(*from, *to))
            continue;

        if (break_of(breaks_, *from) != nullptr || silent_since(*from, f.lost)) {
            failovers_.push_back(&f);
            if (moved)
                moved_.insert(f.from);
        }
    }
}

// Connections to the same target whose first end was an RST with its address.
std::size_t Stories::resets_of_target(const Break &b) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        breaks_,
        [&](const Break &o) {
            return o.end.reset_of_target() &&
                   o.connection->record.target.address == b.connection->record.target.address;
        }));
}

FindingKind Stories::kind_of(const Break &b, const FindingsInput &in,
                             const Consequences &consequences) const {
    const ConnectionFacts &c = *b.connection;
    const StreamId stream = c.record.stream;
    // The rest is about ends that did nothing wrong before.
    if (consequences.ended(stream))
        return Kind::protocol_violation;
    const auto evicted = [&](const Eviction &e) { return e.evicted == &c; };
    if (mutual_ && std::ranges::any_of(evictions_, evicted))
        return Kind::duplicate_initiator;
    if (foreign_.contains(stream))
        return Kind::address_conflict;
    if (restarts_.contains(stream) && !moved_.contains(stream))
        return Kind::target_restart;
    if (kinds_.contains(stream))
        return Kind::failover;
    if (damaged_before(in, b))
        return Kind::digest_error;
    if (black_hole(c))
        return Kind::mtu_black_hole;
    if (ping_unanswered(in, stream))
        return Kind::nop_timeout;
    if (b.outage != nullptr || b.silence > Duration{})
        return Kind::outage;
    // A single RST with a command open may be a firewall's as well as the target's.
    if (b.end.fin_of_target() || (b.end.reset_of_target() && (b.idle() || resets_of_target(b) > 1)))
        return Kind::target_closed;
    return Kind::connection_reset;
}

std::vector<const Break *> Stories::breaks_of(FindingKind kind) const {
    std::vector<const Break *> found;
    for (const Break &b : breaks_)
        if (of(b.connection->record.stream) == kind)
            found.push_back(&b);
    return found;
}

std::optional<FindingKind> Stories::of(StreamId stream) const {
    const auto at = kinds_.find(stream);
    return at == kinds_.end() ? std::nullopt : std::optional(at->second);
}

bool Stories::has_cause(StreamId stream) const {
    const auto kind = of(stream);
    return kind && *kind != Kind::nop_timeout && *kind != Kind::outage && *kind != Kind::connection_reset;
}

std::optional<FindingKind> Stories::lost_time(const ConnectionFacts &c) const {
    // Outages that the connection survived are none of its end's.
    const bool others = c.outages.size() > 1;
    return !others && has_cause(c.record.stream) ? of(c.record.stream) : std::nullopt;
}

const ForeignReset *Stories::foreign(const Break &b) const {
    const auto at = foreign_.find(b.connection->record.stream);
    return at == foreign_.end() ? nullptr : &at->second;
}

const Restart *Stories::restart(const Break &b) const {
    const auto at = restarts_.find(b.connection->record.stream);
    return at == restarts_.end() ? nullptr : &at->second;
}

} // namespace iscsiscope
