// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/consequences.h"

#include "analyzer/findings/attribution/connection_end.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// An end that gives a connection up for what it received does so as soon as its process runs: a second is
// many times what that takes, and less than any timer of iSCSI (NOP and DefaultTime2Wait have whole seconds).
constexpr Duration at_once = std::chrono::seconds(1);

// Reasons that say that the PDU broke the protocol (RFC 7143 section 11.17.1). The others state what the
// target cannot do, or are answers to a damaged PDU.
bool says_violation(std::uint8_t reason) {
    constexpr std::uint8_t protocol_error = 0x04, invalid_field = 0x09;
    return reason == protocol_error || reason == invalid_field;
}

// Sets how the other end closed the connection because of what is wrong since `since`.
void find_close(Consequence &c, Time since) {
    const ConnectionFacts &k = *c.connection;
    if (k.record.outcome == ConnectionOutcome::logged_out || k.logout_request)
        return;
    const FirstEnd close = first_end(k);
    if (!close.known || close.by_target != c.by_initiator() || close.frame <= c.frame())
        return;
    const Duration after = std::max(Duration{}, close.time - since);
    if (after > at_once + k.rtt().value_or(Duration{}))
        return;
    // An initiator that has got all its answers may close without a Logout, whatever the target sent.
    if (!c.by_initiator() && !close.by_reset && k.lost_tasks.count == 0)
        return;
    c.close_frame = close.frame;
    c.by_reset = close.by_reset;
    c.close_after = after;
}

// When this initiator logged in at this target again.
void find_return(Consequence &c, const ConnectionRecord &r, const SessionFigures &sessions) {
    for (const LoginFigures &l : sessions.logins.logins) {
        const bool names = !r.initiator_name.empty() && !l.login.initiator_name.empty();
        const bool same = l.target == r.target && (names ? l.login.initiator_name == r.initiator_name
                                                         : l.initiator.address == r.initiator.address);
        if (l.login.accepted && same && l.stream != r.stream && l.login.start >= r.end) {
            c.down = l.login.end - r.end;
            return;
        }
    }
}

} // namespace

void Consequences::add(Consequence c, const FindingsInput &in) {
    c.connection = connection_of(*in.facts, c.stream());
    if (c.connection != nullptr)
        find_close(c, c.reject != nullptr ? c.reject->time : c.violation->time);
    if (c.reject == nullptr && !c.close_frame && !c.given_up && !c.failed)
        return;
    if (c.close_frame && c.connection != nullptr) {
        ended_.insert(c.stream());
        find_return(c, c.connection->record, *in.sessions);
    }
    if (c.given_up)
        stalled_.insert(c.stream());
    all_.push_back(c);
}

Consequences::Consequences(const FindingsInput &in) {
    if (in.sessions == nullptr)
        return;
    for (const Violation &v : in.sessions->conformance.violations) {
        Consequence c;
        c.violation = &v;
        c.reject = v.reject ? &*v.reject : nullptr;
        c.given_up = v.given_up;
        c.failed = v.failed;
        add(c, in);
    }
    for (const RejectFigures &r : in.sessions->conformance.rejects) {
        const bool of_protocol = r.of_violation || says_violation(r.reason);
        commands_rejected_ += of_protocol && r.opcode == Opcode::scsi_command ? 1 : 0;
        if (r.of_violation || !says_violation(r.reason))
            continue;
        Consequence c;
        c.reject = &r;
        add(c, in);
    }
    std::ranges::stable_sort(all_, {}, &Consequence::frame);
}

} // namespace iscsiscope
