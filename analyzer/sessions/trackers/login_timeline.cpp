// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/login_timeline.h"

#include "analyzer/base/containers/bounded.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
void LoginTimeline::step(const PduRecord &record) {
    UnderWay *const found = find_or_add(under_way_, record.connection->stream, max_under_way);
    if (found == nullptr)
        return;
    UnderWay &u = *found;
    const bool by_target = record.pdu.view().opcode() == Opcode::login_response;
    if (u.last && u.last_by_target != by_target)
        (by_target ? u.waiting_for_target : u.waiting_for_initiator) +=
            std::max(record.pdu.delivered - *u.last, Duration{0});
    u.last = record.pdu.delivered;
    u.last_by_target = by_target;
}

void LoginTimeline::login(const LoginRecord &record) {
    const ConnectionFace &c = *record.connection;
    const Login &login = *record.login;
    const auto found = under_way_.extract(c.stream);
    const UnderWay u = found ? std::move(found.mapped()) : UnderWay{};
    const bool redirected = login.finished && login.status_class == 1;
    ++(login.accepted    ? summary_.accepted
       : redirected      ? summary_.redirected
       : !login.finished ? summary_.unfinished
                         : summary_.refused);
    LoginFigures f;
    // The initiator opens the TCP connection on which it logs in (RFC 7143 section 4.2.4).
    f.initiator = c.endpoint(Side::opener);
    f.target = c.endpoint(Side::acceptor);
    const std::pair who{login.initiator_name.empty() ? to_text(f.initiator.address) : login.initiator_name,
                        login.target_name.empty() ? to_text(f.target.address) : login.target_name};
    if (attempts_.size() >= max_under_way && !attempts_.contains(who))
        attempts_.clear();
    f.attempt = ++attempts_[who];
    if (login.accepted)
        attempts_.erase(who);
    if (summary_.logins.size() == max_logins)
        return;
    f.stream = c.stream;
    f.login = login;
    f.redirected = redirected;
    if (c.starts_with_syn) {
        f.syn = c.first_time;
        f.from_syn = std::max(login.end - c.first_time, Duration{0});
    }
    f.waiting_for_target = u.waiting_for_target;
    f.waiting_for_initiator = u.waiting_for_initiator;
    summary_.logins.push_back(std::move(f));
}

LoginSummary LoginTimeline::take() {
    std::ranges::stable_sort(summary_.logins, {}, [](const LoginFigures &l) { return l.login.start; });
    return std::exchange(summary_, {});
}

} // namespace iscsiscope
