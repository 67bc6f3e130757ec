// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/session_table.h"

#include <algorithm>
#include <iterator>

namespace iscsiscope {
namespace {

// Hosts often use the same ISID, so a name that is cut or missing is replaced by the address.
std::string nexus_key(const Login &login, const Endpoint &initiator, const Endpoint &target) {
    const auto name_of = [](const std::string &name, const Endpoint &end) {
        return name.empty() ? to_text(end.address) : name;
    };
    std::string key = name_of(login.initiator_name, initiator);
    key.push_back('\0');
    for (const std::uint8_t byte : login.isid)
        key.push_back(static_cast<char>(byte));
    key += name_of(login.target_name, target);
    return key;
}

} // namespace

Session &SessionTable::make_session() {
    const SessionId id{next_id_++};
    auto &session = sessions_[id] = std::make_unique<Session>();
    session->id = id;
    return *session;
}

// Of the nexuses with one key, the one that a login means.
std::vector<Nexus>::iterator SessionTable::find(std::vector<Nexus> &same, const Login &login) {
    const auto group_fits = [&](const Nexus &n) {
        return n.group.empty() || login.target_portal_group.empty() || n.group == login.target_portal_group;
    };
    return std::find_if(same.begin(), same.end(), [&](const Nexus &n) {
        return group_fits(n) && (login.requested_tsih == 0 || n.tsih == login.tsih);
    });
}

Session *SessionTable::live(const Login &login, const Endpoint &initiator, const Endpoint &target) {
    const auto entry = nexuses_.find(nexus_key(login, initiator, target));
    if (entry == nexuses_.end())
        return nullptr;
    const auto found = find(entry->second, login);
    return found != entry->second.end() ? found->live : nullptr;
}

LoginEffect SessionTable::login(const Login &login, const Endpoint &initiator, const Endpoint &target) {
    NexusEntry &entry = *nexuses_.try_emplace(nexus_key(login, initiator, target)).first;
    std::vector<Nexus> &same = entry.second;
    LoginEffect effect;
    const auto found = find(same, login);
    // A further connection of a known session (TSIH not 0: RFC 7143 section 11.12.6).
    if (login.requested_tsih != 0 && found != same.end() && found->live != nullptr) {
        effect.session = found->live;
        return effect;
    }
    effect.is_new = true;
    effect.session = &make_session();
    effect.session->from_login = true;
    effect.session->tsih = login.tsih;
    if (found == same.end()) {
        if (make_room(same)) {
            same.push_back(
                {login.target_portal_group, login.tsih, effect.session->id, false, effect.session, {}});
            effect.session->nexus = &entry;
        }
        return effect;
    }
    if (login.requested_tsih == 0 && !found->logged_out) {
        effect.reinstates = found->last_session;
        effect.replaced = found->live;
    }
    if (found->group.empty())
        found->group = login.target_portal_group;
    found->tsih = login.tsih;
    found->last_session = effect.session->id;
    found->logged_out = false;
    if (found->live == nullptr)
        ended_.erase(found->ended);
    else
        found->live->nexus = nullptr;
    found->live = effect.session;
    effect.session->nexus = &entry;
    return effect;
}

// The nexus has no live session any more.
void SessionTable::end(NexusEntry &entry, Nexus &nexus) {
    nexus.live = nullptr;
    ended_.push_back({&entry, nexus.last_session});
    nexus.ended = std::prev(ended_.end());
}

void SessionTable::forget(const EndedNexus &oldest) {
    ++forgotten_;
    std::erase_if(oldest.entry->second,
                  [&](const Nexus &n) { return n.live == nullptr && n.last_session == oldest.last_session; });
    if (oldest.entry->second.empty())
        nexuses_.erase(nexuses_.find(oldest.entry->first));
}

// Forgets an ended nexus with this key if there are too many. Returns false if all live: the new one is the
// one that is not kept.
bool SessionTable::make_room(std::vector<Nexus> &alike) {
    if (alike.size() < max_alike)
        return true;
    const auto ended =
        std::find_if(alike.begin(), alike.end(), [](const Nexus &n) { return n.live == nullptr; });
    ++forgotten_;
    if (ended == alike.end())
        return false;
    ended_.erase(ended->ended);
    alike.erase(ended);
    return true;
}

void SessionTable::add_connection(Session &session, CycleConnection &c) {
    session.members.push_back(&c);
    ++session.connections_so_far;
}

bool SessionTable::remove_connection(Session &session, CycleConnection &c) {
    std::erase(session.members, &c);
    return session.members.empty();
}

void SessionTable::end(Session &session) {
    if (session.from_login) {
        if (session.nexus != nullptr)
            for (Nexus &nexus : session.nexus->second)
                if (nexus.live == &session) {
                    nexus.logged_out = session.logged_out;
                    end(*session.nexus, nexus);
                }
        if (ended_.size() > max_nexuses) {
            forget(ended_.front());
            ended_.pop_front();
        }
    }
    sessions_.erase(session.id);
}

SessionRecord session_record(const Session &session, const Login &login,
                             std::optional<SessionId> reinstates) {
    SessionRecord record;
    record.session = session.id;
    record.from_login = true;
    record.isid = login.isid;
    record.tsih = login.tsih;
    record.initiator_name = login.initiator_name;
    record.target_name = login.target_name;
    record.target_portal_group = login.target_portal_group;
    record.session_type = login.session_type;
    record.reinstates = reinstates;
    return record;
}

} // namespace iscsiscope
