// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/unit_names.h"

namespace iscsiscope {

UnitNames::UnitNames(const MemberTable &members, const Luns &known) : luns(known) {
    for (const auto &u : members.units()) {
        Ends &e = of_session[u->session];
        e.target_name = u->target_name;
        e.host = u->initiator_name;
        e.host_named = !e.host.empty();
        if (u->members.empty())
            continue;
        const Member &m = *u->members.front();
        e.stream = m.stream;
        e.initiator = m.initiator_end;
        e.target = m.target_end;
        if (e.host.empty())
            e.host = to_text(m.initiator_end.address);
    }
    for (const auto &[at, l] : luns) {
        of_session.try_emplace(l.session);
        ++uses[{l.session, l.designator}];
    }
}

std::string UnitNames::unit(const std::pair<SessionId, std::uint64_t> &at) const {
    const auto l = luns.find(at);
    if (l != luns.end() && !l->second.designator.empty() && uses.at({at.first, l->second.designator}) == 1)
        return l->second.designator;
    const auto e = of_session.find(at.first);
    const std::string target = e == of_session.end()           ? std::string()
                               : e->second.target_name.empty() ? to_text(e->second.target)
                                                               : e->second.target_name;
    return target + " LUN " + std::to_string(at.second);
}

} // namespace iscsiscope
