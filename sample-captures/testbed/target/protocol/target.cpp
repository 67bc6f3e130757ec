// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/target.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::testbed {
namespace {

// Of "address:port>address:port", without the port.
std::string_view initiator_address(std::string_view connection) {
    const std::string_view initiator = connection.substr(0, connection.find('>'));
    return initiator.substr(0, initiator.rfind(':'));
}

} // namespace

Target::Target(const TargetConfig &config, LogicalUnits &units, Timers &timers, TruthLog &truth)
    : services_{config, units, timers, truth} {}

Target::~Target() {
    end_all_sessions("target ended");
}

PduLinkEvents &Target::accept(std::shared_ptr<PduLink> link, std::shared_ptr<ConnectionRecord> record) {
    const auto connection = std::make_shared<Connection>(services_, static_cast<TargetSessions &>(*this),
                                                         std::move(link), std::move(record));
    logging_in_.remove_if([](const Connection *c) { return !c->in_login(); });
    if (logging_in_.size() >= max_logins_)
        end_one_login("too many connections are logging in");
    connections_[connection.get()] = connection;
    logging_in_.push_back(connection.get());
    return *connection;
}

bool Target::end_one_login(std::string_view reason) {
    std::map<std::string_view, std::size_t> by_address;
    Connection *chosen = nullptr;
    std::size_t most = 0;
    for (const Connection *c : logging_in_)
        if (c->in_login())
            most = std::max(most, ++by_address[initiator_address(c->name())]);
    for (Connection *c : logging_in_)
        if (chosen == nullptr && c->in_login() && by_address[initiator_address(c->name())] == most)
            chosen = c;
    if (chosen == nullptr)
        return false;
    chosen->leave(reason);
    return true;
}

// Its own functions may still be running: it is destroyed later.
void Target::forget(Connection &connection) {
    const auto at = connections_.find(&connection);
    if (at == connections_.end())
        return;
    auto held = std::move(at->second);
    connections_.erase(at);
    logging_in_.remove(&connection);
    services_.timers.post([held] {});
}

std::shared_ptr<Session> Target::find_session(const LoginOutcome &who) {
    for (const auto &[number, session] : sessions_)
        if (session->who().initiator_name == who.initiator_name && session->who().isid == who.isid &&
            session->discovery() == who.discovery)
            return session;
    return nullptr;
}

std::shared_ptr<Session> Target::open_session(const LoginOutcome &who) {
    // The same initiator port again: session reinstatement (RFC 7143 section 6.3.5).
    if (const auto old = find_session(who); old && !who.discovery)
        end_session(*old, "replaced by a new login of the same initiator port", nullptr, false);
    // TSIHs are reused, but never one that is in use.
    const auto in_use = [&](std::uint16_t tsih) {
        return tsih == 0 || std::any_of(sessions_.begin(), sessions_.end(),
                                        [&](const auto &s) { return s.second->tsih() == tsih; });
    };
    while (in_use(next_tsih_))
        ++next_tsih_;
    const std::uint64_t number = next_session_++;
    return sessions_[number] = std::make_shared<Session>(services_, static_cast<TargetSessions &>(*this),
                                                         number, who, next_tsih_++);
}

void Target::end_session(Session &session, std::string_view reason, Connection *except, bool notify) {
    const auto at = sessions_.find(session.number());
    if (at == sessions_.end())
        return;
    const std::shared_ptr<Session> held = std::move(at->second);
    sessions_.erase(at);
    held->abort_tasks([](ScsiTask &) { return true; });
    for (auto &[number, unit] : services_.units.all())
        unit.disk->nexus_lost(held->nexus());
    const auto connections = std::exchange(held->connections(), {});
    for (const auto &[cid, connection] : connections)
        if (connection != except)
            connection->drop(reason, notify);
    services_.timers.post([held] {});
}

void Target::end_all_sessions(std::string_view reason) {
    const auto sessions = sessions_;
    for (const auto &[number, session] : sessions)
        end_session(*session, reason, nullptr, true);
    const auto connections = connections_; // those still logging in
    for (const auto &[key, connection] : connections)
        connection->drop(reason, false);
}

std::vector<NexusId> Target::nexuses() const {
    std::vector<NexusId> all;
    for (const auto &[number, session] : sessions_)
        if (!session->discovery())
            all.push_back(session->nexus());
    return all;
}

void Target::abort_everywhere(const std::function<bool(ScsiTask &)> &which) {
    for (const auto &[number, session] : sessions_)
        session->abort_tasks(which);
}

void Target::reset_unit(std::uint32_t lun) {
    abort_everywhere([&](ScsiTask &t) { return t.lun() == lun; });
    if (LogicalUnit *unit = services_.units.find(lun))
        unit->disk->reset(nexuses());
}

void Target::reset_all() {
    abort_everywhere([](ScsiTask &) { return true; });
    for (auto &[number, unit] : services_.units.all())
        unit.disk->reset(nexuses());
}

} // namespace iscsiscope::testbed
