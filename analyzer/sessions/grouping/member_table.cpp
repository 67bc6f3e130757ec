// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/member_table.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {

Member *MemberTable::of_stream(StreamId stream) {
    if (last_ == nullptr || last_->stream != stream) {
        const std::uint32_t found = by_stream_.find(stream.number);
        if (found == FlatMap::none)
            return nullptr;
        last_ = members_[found].get();
    }
    return last_;
}

MemberUnit &MemberTable::unit_of(SessionId session) {
    const std::uint32_t found = by_session_.find(session.number);
    if (found != FlatMap::none)
        return *units_[found];
    const auto index = static_cast<std::uint32_t>(units_.size());
    by_session_.set(session.number, index);
    units_.push_back(std::make_unique<MemberUnit>());
    units_.back()->index = index;
    units_.back()->session = session;
    return *units_.back();
}

void MemberTable::name_initiator(Member &m) {
    std::string key = m.login && !m.login->initiator_name.empty() ? m.login->initiator_name
                                                                  : to_text(m.initiator_end.address);
    auto at = std::ranges::find(initiators_, key);
    if (at == initiators_.end())
        at = initiators_.insert(initiators_.end(), std::move(key));
    m.initiator_key = static_cast<std::uint32_t>(at - initiators_.begin());
}

void MemberTable::login(const LoginRecord &r) {
    waiting_login_.reset();
    if (!r.login->accepted)
        return;
    waiting_login_ = r.login;
    waiting_stream_ = r.connection->stream;
}

void MemberTable::join(const MemberRecord &r) {
    const ConnectionFace &c = *r.connection;
    Member *m = of_stream(c.stream);
    if (m == nullptr) {
        if (members_.size() == max_members) {
            ++left_out_;
            return;
        }
        const auto index = static_cast<std::uint32_t>(members_.size());
        members_.push_back(std::make_unique<Member>());
        m = members_.back().get();
        m->index = index;
        m->stream = c.stream;
        m->initiator_end = c.initiator_end();
        m->target_end = c.target_end();
        by_stream_.set(c.stream.number, index);
    }
    if (m->unit != nullptr) {
        std::erase(m->unit->members, m);
        std::erase(m->unit->root()->group, m);
    }
    MemberUnit &unit = unit_of(r.session);
    m->unit = &unit;
    unit.members.push_back(m);
    unit.root()->group.push_back(m);
    if (waiting_login_ && waiting_stream_ == c.stream)
        m->login = std::move(waiting_login_);
    if (m->login) {
        unit.has_login = true;
        unit.certain |= m->login->requested_tsih == 0;
        if (unit.initiator_name.empty())
            unit.initiator_name = m->login->initiator_name;
        if (unit.target_name.empty())
            unit.target_name = m->login->target_name;
    }
    name_initiator(*m);
}

void MemberTable::session(const SessionRecord &r) {
    const std::uint32_t found = by_session_.find(r.session.number);
    if (found == FlatMap::none)
        return;
    MemberUnit &unit = *units_[found];
    if (unit.initiator_name.empty())
        unit.initiator_name = r.initiator_name;
    if (unit.target_name.empty())
        unit.target_name = r.target_name;
}

Member *MemberTable::close(const ConnectionRecord &r) {
    Member *m = of_stream(r.stream);
    if (m != nullptr)
        m->open = false;
    return m;
}

void MemberTable::join_groups(MemberUnit &into, MemberUnit &from) {
    from.joined_to = &into;
    into.group.insert(into.group.end(), from.group.begin(), from.group.end());
    from.group.clear();
}

} // namespace iscsiscope
