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
bool closed_by_initiator(const ConnectionFacts &c) {
    const auto before = [&](const FinalDirectionFigures &f, OptionalFrame TcpDirectionFigures::*which) {
        return f && (*f).*which && *((*f).*which) < *c.to_target->fin_frame;
    };
    return c.lost_tasks.count == 0 && c.to_target && c.to_target->fin_frame &&
           !before(c.to_target, &TcpDirectionFigures::reset_frame) &&
           !before(c.to_initiator, &TcpDirectionFigures::reset_frame) &&
           !before(c.to_initiator, &TcpDirectionFigures::fin_frame);
}

// The timeout doubles: a connection that ended sooner than the next one ended within the outage.
const OutageInterval *outage_at_end(const ConnectionFacts &c) {
    if (c.outages.empty())
        return nullptr;
    const OutageInterval &last = c.outages.back();
    return c.record.end - last.end <= 2 * last.length() ? &last : nullptr;
}

} // namespace

std::vector<Break> broken_connections(const Facts &facts) {
    std::vector<Break> breaks;
    for (const ConnectionFacts &c : facts.connections) {
        const ConnectionRecord &r = c.record;
        if (r.outcome == ConnectionOutcome::logged_out || closed_by_initiator(c))
            continue;
        Break b{&c, reinstating(facts, c), outage_at_end(c), {}};
        if (b.successor != nullptr && c.lost_tasks.count == 0 && !bytes_lost(c))
            b.silence = silence_before(c, *b.successor);
        const bool ended = r.outcome != ConnectionOutcome::closed || b.silence > Duration{};
        if (c.lost_tasks.count == 0 &&
            !(ended && b.successor != nullptr && (bytes_lost(c) || b.silence > Duration{})))
            continue;
        if (b.successor != nullptr) {
            const Time up = b.successor->record.login->end;
            const Time down = b.outage != nullptr ? b.outage->start : std::min(r.end, up);
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
    const auto frame = [](const FinalDirectionFigures &f, OptionalFrame TcpDirectionFigures::*which) {
        return f ? (*f).*which : OptionalFrame{};
    };
    const auto first = [&](OptionalFrame TcpDirectionFigures::*which, const char *name) {
        const OptionalFrame initiator = frame(c.to_target, which), target = frame(c.to_initiator, which);
        if (!initiator && !target)
            return std::string();
        const bool by_target = !initiator || (target && *target < *initiator);
        return std::string(name) + " with the address of the " + (by_target ? "target" : "initiator") +
               " (frame " + std::to_string(by_target ? *target : *initiator) + ") ended the connection";
    };
    std::string s = first(&TcpDirectionFigures::reset_frame, "An RST");
    if (s.empty() && b.connection->record.outcome == ConnectionOutcome::closed)
        s = first(&TcpDirectionFigures::fin_frame, "A FIN");
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
