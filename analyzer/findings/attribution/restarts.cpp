// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/restarts.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// TCP repairs a loss within a second (outages.h); a target that is silent for longer was away.
constexpr Duration away = std::chrono::seconds(1);

// True if the unit itself started anew: not after a reset that a host asked for (BUS DEVICE RESET FUNCTION,
// SCSI BUS RESET), nor for I_T NEXUS LOSS, the same session's end seen from the target (SAM-5 section 6.3.4).
bool of_start(std::uint32_t sense) {
    return sense != 0x062902 && sense != 0x062903 && sense != 0x062907;
}

void count_attempts(Restart &r, const Facts &facts) {
    const Endpoint &target = r.broke->connection->record.target;
    const auto p = std::ranges::find(facts.portals, target, &PortalFacts::portal);
    const ConnectionFacts *successor = r.broke->successor;
    if (successor != nullptr && successor->record.target == target)
        r.portal_back = successor->record.login->end;
    if (p == facts.portals.end())
        return;
    std::optional<Time> last, until;
    if (successor != nullptr)
        until = successor->record.start;
    for (const FailedAttempt &a : p->failed) {
        if (a.start < r.silent_from || (until && a.start > *until))
            continue;
        ++(a.refused ? r.refused : r.unanswered);
        last = std::max(last.value_or(a.start), a.start);
        r.first_attempt = std::min(r.first_attempt.value_or(a.start), a.start);
        if (a.refused && (!r.host_answered || a.end < *r.host_answered)) {
            r.host_answered = a.end;
            r.host_frame = a.answer_frame;
        }
        if (a.refused && (!r.first_refusal || (a.answer_frame && *a.answer_frame < *r.first_refusal)))
            r.first_refusal = a.answer_frame;
    }
    if (successor != nullptr || !last)
        return;
    for (const Time &at : p->accepted_at)
        if (at > *last && (!r.portal_back || at < *r.portal_back))
            r.portal_back = at;
}

// When the target was first asked for something that it did not answer: a command, or a connection. Empty:
// never.
std::optional<Time> asked(const Restart &r) {
    const ConnectionFacts &c = *r.broke->connection;
    const Time ended = r.broke->end.known ? r.broke->end.time : c.record.end;
    std::optional<Time> first = r.first_attempt;
    const auto earlier = [&](Time t) { first = std::min(first.value_or(t), t); };
    if (c.lost_tasks.count > 0)
        earlier(ended - c.lost_tasks.oldest);
    // Where only segments of the target were sent again, the initiator was silent.
    if (const OutageInterval *o = r.broke->outage;
        o != nullptr && (o->lost_to_target > 0 || o->lost_to_initiator == 0))
        earlier(o->start);
    return first;
}

} // namespace

Duration Restart::silence() const {
    const FirstEnd &end = broke->end;
    const Time until = host_answered ? *host_answered : end.known ? end.time : broke->connection->record.end;
    return std::max(Duration{}, until - silent_from);
}

std::optional<Restart> restart_of(const Facts &facts, const Break &b) {
    const ConnectionFacts &c = *b.connection;
    Restart r;
    r.broke = &b;
    if (!c.to_initiator || !c.to_initiator->face.any)
        return std::nullopt; // nothing of the target is in the capture
    r.silent_from = c.to_initiator->face.last;
    if (b.end.reset_of_target()) {
        r.host_answered = b.end.time;
        r.host_frame = known_frame(b.end.frame);
    }
    count_attempts(r, facts);
    const Time ended = b.end.known ? b.end.time : c.record.end;
    r.silent_from = std::max(r.silent_from, asked(r).value_or(ended));
    // A target that greets each new session with it says nothing by it.
    const ResetAttention *attention =
        b.successor != nullptr && b.successor->reset_attention ? &*b.successor->reset_attention : nullptr;
    if (attention != nullptr && of_start(attention->sense) && c.record.login && !c.reset_attention)
        r.attention = attention;
    const bool was_away = r.silence() >= away;
    const bool lost_state = b.end.reset_of_target() && was_away; // the host no longer knew the connection
    const bool closed_down = b.end.by_target || was_away;
    const bool restarted = (r.refused > 0 && closed_down && (r.portal_back || lost_state)) ||
                           (r.attention != nullptr && lost_state);
    return restarted ? std::optional(r) : std::nullopt;
}

} // namespace iscsiscope
