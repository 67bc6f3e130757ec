// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/breaks.h"

#include "analyzer/base/number_format.h"

#include <algorithm>

namespace iscsiscope {
namespace {

bool same_session(const Login &a, const Login &b) {
    return a.isid == b.isid && a.initiator_name == b.initiator_name && a.target_name == b.target_name &&
           a.session_type == b.session_type;
}

// Returns the connection with the first login after this one's that asks for a new session with the same
// names and ISID: it implicitly ends the old one.
const ConnectionFacts *reinstating(const Facts &facts, const ConnectionFacts &c) {
    const ConnectionFacts *next = nullptr;
    if (!c.record.login || !c.record.login->accepted || c.record.login->initiator_name.empty())
        return nullptr;
    for (const ConnectionFacts &k : facts.connections) {
        const std::optional<Login> &login = k.record.login;
        if (&k == &c || !login || !login->accepted || login->requested_tsih != 0 ||
            login->start <= c.record.login->start || !same_session(*login, *c.record.login))
            continue;
        if (next == nullptr || login->start < next->record.login->start)
            next = &k;
    }
    return next;
}

bool bytes_lost(const ConnectionFacts &c) {
    return (c.to_target && c.to_target->never_acked > 0) ||
           (c.to_initiator && c.to_initiator->never_acked > 0);
}

// An initiator that learns of a connection's end logs in again after DefaultTime2Wait, 2 s unless negotiated
// (RFC 7143 section 13.15), or at once.
constexpr Duration learnt_of_end = std::chrono::seconds(3);

Duration silence_before(const ConnectionFacts &c, const ConnectionFacts &successor) {
    const FrameNumber taken_over = successor.record.login->first_frame;
    for (const auto *d : {&c.to_target, &c.to_initiator})
        if (*d)
            for (const OptionalFrame end : {(*d)->fin_frame, (*d)->reset_frame})
                if (end && *end < taken_over)
                    return {};
    if (!c.record.active_end)
        return {};
    const Duration silence = successor.record.login->start - *c.record.active_end;
    return silence >= learnt_of_end ? silence : Duration{};
}

// True if the initiator itself closed the connection, with a FIN before any other end of it, when nothing was
// open.
bool closed_by_initiator(const ConnectionFacts &c, const FirstEnd &end) {
    return c.lost_tasks.count == 0 && end.known && !end.by_target && !end.by_reset;
}

// True if a logout was asked for, on this connection or on another one of its session (RFC 7143
// section 11.14).
bool logged_out(const Facts &facts, const ConnectionFacts &c) {
    return std::ranges::any_of(
        facts.connections,
        [&](const ConnectionFacts &k) {
            return k.logout_request && (&k == &c || (k.record.session == c.record.session && k.record.login));
        });
}

// True if the target ended a session for work without a logout. A target that asked for one first, or that
// ends a discovery session or a login that it refused, is of other findings.
bool ended_by_target(const Facts &facts, const ConnectionFacts &c, const FirstEnd &end) {
    const std::optional<Login> &login = c.record.login;
    const bool at_work = login ? login->accepted && login->session_type != "Discovery" : c.record.tasks > 0;
    // Where something of the initiator is not in the capture, there may have been a logout.
    const bool initiator_seen =
        c.to_target && c.record.segments_to_target > 0 && c.record.unseen_to_target == 0;
    return end.known && end.by_target && at_work && initiator_seen && !c.sent_away && !logged_out(facts, c);
}

// The timeout doubles: a connection that ended sooner than the next one ended within the outage.
const OutageInterval *outage_at_end(const ConnectionFacts &c) {
    if (c.outages.empty())
        return nullptr;
    const OutageInterval &last = c.outages.back();
    return c.record.end - last.end <= 2 * last.length() ? &last : nullptr;
}

} // namespace

bool Break::idle() const {
    return connection->lost_tasks.count == 0 && !bytes_lost(*connection);
}

std::vector<Break> broken_connections(const Facts &facts) {
    std::vector<Break> breaks;
    for (const ConnectionFacts &c : facts.connections) {
        const ConnectionRecord &r = c.record;
        const FirstEnd end = first_end(c);
        if (r.outcome == ConnectionOutcome::logged_out || closed_by_initiator(c, end))
            continue;
        Break b{&c, reinstating(facts, c), outage_at_end(c), {}, {}, end};
        if (b.successor != nullptr && c.lost_tasks.count == 0 && !bytes_lost(c))
            b.silence = silence_before(c, *b.successor);
        const bool ended = r.outcome != ConnectionOutcome::closed || b.silence > Duration{};
        if (c.lost_tasks.count == 0 && !ended_by_target(facts, c, end) &&
            !(ended && b.successor != nullptr && (bytes_lost(c) || b.silence > Duration{})))
            continue;
        if (b.successor != nullptr) {
            const Time up = b.successor->record.login->end;
            // Segments of the old connection may come long behind its end.
            const Time ended_at = end.known && end.time > r.start ? std::min(end.time, r.end) : r.end;
            const Time down = b.outage != nullptr ? b.outage->start : std::min(ended_at, up);
            b.downtime = std::max(Duration{}, up - down);
        }
        breaks.push_back(b);
    }
    return breaks;
}

const Break *break_of(const std::vector<Break> &breaks, const ConnectionFacts &c) {
    const auto at =
        std::find_if(breaks.begin(), breaks.end(), [&](const Break &b) { return b.connection == &c; });
    return at != breaks.end() ? &*at : nullptr;
}

std::string end_words(const Break &b) {
    const ConnectionFacts &c = *b.connection;
    std::string s = first_end_words(b.end);
    if (s.empty())
        s = b.successor != nullptr ? "The connection did not survive"
            : c.record.outcome == ConnectionOutcome::reused
                ? "A new SYN on its ports shows that the connection ended"
                : "How the connection ended is not in the capture";
    if (b.successor != nullptr)
        s += ". A new login (frame " + std::to_string(b.successor->record.login->first_frame) +
             ") reinstated the session " + human::duration(b.downtime) + " after the last data";
    return s;
}

Duration quiet_before_end(const Break &b) {
    constexpr Duration repeated = std::chrono::seconds(30); // for so long TCP may have sent that packet again
    const auto &asking = b.end.by_target ? b.connection->to_target : b.connection->to_initiator;
    return b.end.known && b.end.by_reset && asking && asking->face.quiet > Duration{} &&
                   b.end.time - asking->face.quiet_until <= repeated
               ? asking->face.quiet
               : Duration{};
}

std::string open_words(const ConnectionFacts &c) {
    const LostTasks &l = c.lost_tasks;
    if (l.count == 0)
        return {};
    std::string kinds;
    const auto add = [&](std::uint64_t n, const char *one, const char *more) {
        if (n > 0)
            kinds += (kinds.empty() ? "" : ", ") + human::plural(n, one, more);
    };
    add(l.reads, "Read", "Reads");
    add(l.writes, "Write", "Writes");
    if (!kinds.empty())
        add(l.count - l.reads - l.writes, "other", "others");
    return human::plural(l.count, "command was", "commands were") + " open" +
           (kinds.empty() ? "" : " (" + kinds + ")") + ", the oldest for " + human::duration(l.oldest);
}

} // namespace iscsiscope
