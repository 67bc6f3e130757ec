// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/evictions.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// A target that drops the old session does so with the login, or when the old connection's next segment
// comes: at the latest that is the initiator's next ping, every 5 s by default (open-iscsi), or a minute.
constexpr Duration soon = std::chrono::seconds(60);
// Where the names are cut off, ISIDs alone are compared, which hosts may share; then the time must fit.
constexpr Duration by_isid_alone = std::chrono::seconds(1);

// True if the login asks for a new session by the identity of this connection's. A connection whose login is
// not in the capture may be of the same identity.
bool same_identity(const ConnectionFacts &c, const Login &login) {
    const std::optional<Login> &own = c.record.login;
    if (!own)
        return true;
    return own->accepted && own->isid == login.isid && own->initiator_name == login.initiator_name &&
           own->target_name == login.target_name && own->session_type == login.session_type &&
           own->target_portal_group == login.target_portal_group;
}

bool asks_for_session(const ConnectionFacts &c) {
    const std::optional<Login> &login = c.record.login;
    return login && login->accepted && login->requested_tsih == 0 && login->session_type != "Discovery";
}

// True if the connection was in use when the login began: a host that gives a connection up has had no answer
// on it for longer than its pings take (open-iscsi: 5 s).
bool in_use(const ConnectionFacts &c, Time login) {
    constexpr Duration recent = std::chrono::seconds(5);
    return c.outages.empty() && c.last_answered && login - *c.last_answered <= recent;
}

// True if the login of `by` ended this connection.
bool evicts(const ConnectionFacts &by, const ConnectionFacts &c, const FirstEnd &end) {
    const Login &login = *by.record.login;
    const ConnectionRecord &r = c.record;
    const bool other_host = r.initiator.address != by.record.initiator.address;
    return (other_host || (r.login && in_use(c, login.start))) &&
           r.target.address == by.record.target.address && r.outcome != ConnectionOutcome::logged_out &&
           !c.logout_request && r.start < login.start && end.known && end.by_target &&
           end.frame > login.first_frame &&
           end.time - login.end <= (login.initiator_name.empty() ? by_isid_alone : soon) &&
           same_identity(c, login);
}

} // namespace

std::vector<Eviction> evictions(const Facts &facts) {
    std::vector<const ConnectionFacts *> logins;
    for (const ConnectionFacts &c : facts.connections)
        if (asks_for_session(c))
            logins.push_back(&c);
    std::ranges::stable_sort(logins, {}, [](const ConnectionFacts *c) { return c->record.login->start; });
    std::vector<Eviction> found;
    for (const ConnectionFacts &c : facts.connections) {
        const FirstEnd end = first_end(c);
        if (!end.known || !end.by_target)
            continue;
        // The last such login before the end.
        const ConnectionFacts *by = nullptr;
        for (const ConnectionFacts *login : logins)
            if (login != &c && evicts(*login, c, end))
                by = login;
        if (by != nullptr)
            found.push_back({&c, by, end});
    }
    std::ranges::stable_sort(found, {}, [](const Eviction &e) { return e.by->record.login->start; });
    return found;
}

bool mutual(const std::vector<Eviction> &all) {
    // From one address: two hosts behind it, or two sessions of one host. Once or twice the firmware of a
    // host hands its session over to the system that it starts.
    constexpr std::size_t from_one_address = 3;
    std::size_t own = 0;
    for (const Eviction &e : all) {
        own += e.by->record.initiator.address == e.evicted->record.initiator.address ? 1 : 0;
        for (const Eviction &later : all)
            if (later.by->record.login->start > e.by->record.login->start &&
                e.by->record.initiator.address != e.evicted->record.initiator.address &&
                later.by->record.initiator.address == e.evicted->record.initiator.address &&
                same_identity(*later.by, *e.by->record.login))
                return true;
    }
    return own >= from_one_address;
}

} // namespace iscsiscope
