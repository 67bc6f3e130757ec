// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/login_timeline.h"

#include "analyzer/base/containers/bounded.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

// RFC 7143 section 11.12: the bits T and C, then the current and the next stage with two bits each.
LoginStep step_of(const Pdu &pdu) {
    const HeaderView v = pdu.view();
    LoginStep s;
    s.by_target = v.opcode() == Opcode::login_response;
    s.time = pdu.delivered;
    s.frame = pdu.delivered_frame;
    s.transit = v.final();
    s.continued = v.continue_bit();
    s.stage = static_cast<LoginStage>((v.flags() >> 2) & 3);
    s.next_stage = static_cast<LoginStage>(v.flags() & 3);
    if (s.by_target) {
        s.status_class = v.login_status_class();
        s.status_detail = v.login_status_detail();
    }
    return s;
}

} // namespace

void LoginTimeline::step(const PduRecord &record) {
    UnderWay *const found = find_or_add(under_way_, record.connection->stream, max_under_way);
    if (found == nullptr)
        return;
    UnderWay &u = *found;
    const LoginStep s = step_of(record.pdu);
    if (u.last) {
        const Duration since = std::max(s.time - u.last->time, Duration{0});
        if (s.by_target && !u.last->by_target)
            u.waiting_for_target += since;
        else if (!s.by_target && u.last->by_target)
            u.waiting_for_initiator += since;
    }
    u.last = s;
    if (u.steps.size() < max_steps)
        u.steps.push_back(s);
    else
        ++u.left_out;
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
    if (summary_.logins.size() == max_logins) {
        ++summary_.logins_left_out;
        return;
    }
    f.stream = c.stream;
    f.login = login;
    f.redirected = redirected;
    if (c.starts_with_syn) {
        f.syn = c.first_time;
        f.from_syn = std::max(login.end - c.first_time, Duration{0});
    }
    f.steps = u.steps;
    f.steps_left_out = u.left_out;
    f.waiting_for_target = u.waiting_for_target;
    f.waiting_for_initiator = u.waiting_for_initiator;
    summary_.logins.push_back(std::move(f));
}

LoginSummary LoginTimeline::take() {
    std::ranges::stable_sort(summary_.logins, {}, [](const LoginFigures &l) { return l.login.start; });
    return std::exchange(summary_, {});
}

} // namespace iscsiscope
