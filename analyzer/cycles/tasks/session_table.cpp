// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/session_table.h"

#include <algorithm>

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
    const std::uint64_t id = next_id_++;
    auto &session = sessions_[id] = std::make_unique<Session>();
    session->id = id;
    return *session;
}

LoginEffect SessionTable::login(const Login &login, const Endpoint &initiator, const Endpoint &target) {
    const std::string key = nexus_key(login, initiator, target);
    std::vector<Nexus> &same = nexuses_[key];
    const auto group_fits = [&](const Nexus &n) {
        return n.group.empty() || login.target_portal_group.empty() || n.group == login.target_portal_group;
    };
    LoginEffect effect;
    const auto found = std::find_if(same.begin(), same.end(), [&](const Nexus &n) {
        return group_fits(n) && (login.requested_tsih == 0 || n.tsih == login.tsih);
    });
    // A further connection of a known session (TSIH not 0: RFC 7143 section 11.12.6).
    if (login.requested_tsih != 0 && found != same.end() && found->live != nullptr) {
        effect.session = found->live;
        return effect;
    }
    effect.is_new = true;
    effect.session = &make_session();
    effect.session->from_login = true;
    effect.session->tsih = login.tsih;
    effect.session->nexus = key;
    if (found == same.end()) {
        same.push_back({login.target_portal_group, login.tsih, effect.session->id, false, effect.session});
        ++nexus_count_;
        forget_old_nexuses();
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
    found->live = effect.session;
    return effect;
}

void SessionTable::forget_old_nexuses() {
    if (nexus_count_ <= max_nexuses)
        return;
    nexus_count_ = 0;
    for (auto it = nexuses_.begin(); it != nexuses_.end();) {
        std::erase_if(it->second, [](const Nexus &n) { return n.live == nullptr; });
        nexus_count_ += it->second.size();
        it = it->second.empty() ? nexuses_.erase(it) : std::next(it);
    }
}

void SessionTable::add_connection(Session &session, std::uint32_t slot) {
    session.slots.push_back(slot);
    ++session.connections_so_far;
}

void SessionTable::remove_connection(Session &session, std::uint32_t slot) {
    std::erase(session.slots, slot);
    if (!session.slots.empty())
        return;
    if (session.from_login) {
        if (const auto it = nexuses_.find(session.nexus); it != nexuses_.end())
            for (Nexus &nexus : it->second)
                if (nexus.live == &session) {
                    nexus.live = nullptr;
                    nexus.logged_out = session.logged_out;
                }
    }
    sessions_.erase(session.id);
}

SessionRecord session_record(const Session &session, const Login &login,
                             std::optional<std::uint64_t> reinstates) {
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
