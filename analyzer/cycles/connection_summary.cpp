// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/connection_summary.h"

namespace iscsiscope {
namespace {

ConnectionOutcome outcome_of(CloseReason reason, bool logged_out) {
    if (logged_out)
        return ConnectionOutcome::logged_out;
    switch (reason) {
    case CloseReason::fin:
        return ConnectionOutcome::closed;
    case CloseReason::reset:
        return ConnectionOutcome::reset;
    case CloseReason::reuse:
        return ConnectionOutcome::reused;
    case CloseReason::capture_end:
    case CloseReason::evicted:
        break;
    }
    return ConnectionOutcome::open;
}

} // namespace

ConnectionRecord connection_record(const CycleConnection &c, const Connection &tcp, CloseReason reason,
                                   const CycleOptions &options) {
    const ConnectionEnd &initiator = tcp.end(c.initiator);
    const ConnectionEnd &target = tcp.end(other(c.initiator));
    ConnectionRecord record;
    record.stream = tcp.stream;
    record.session = c.session->id;
    record.cid = c.cid;
    record.initiator = initiator.endpoint;
    record.target = target.endpoint;
    if (c.login) {
        record.initiator_name = c.login->initiator_name;
        record.target_name = c.login->target_name;
        record.login = *c.login;
    }
    record.first_frame = tcp.first_frame;
    record.last_frame = tcp.last_frame;
    record.start = tcp.first_time;
    record.end = tcp.last_time;
    record.bytes_to_target = initiator.stream_bytes;
    record.bytes_to_initiator = target.stream_bytes;
    record.segments_to_target = initiator.segments;
    record.segments_to_initiator = target.segments;
    record.repeated_to_target = initiator.repeated_segments;
    record.repeated_to_initiator = target.repeated_segments;
    record.unseen_to_target = initiator.missed_bytes();
    record.unseen_to_initiator = target.missed_bytes();
    record.tasks = c.tasks;
    record.rtt_to_initiator = initiator.rtt.minimum;
    record.rtt_to_target = target.rtt.minimum;
    if (options.position)
        record.capture_position = CapturePosition{*options.position, *options.position, *options.position};
    else
        record.capture_position = capture_position(tcp, c.initiator);
    record.outcome = outcome_of(reason, c.logout.logged_out());
    record.pdus = PduTally(c.pdus.counts().table());
    c.life.fill(record);
    if (c.life.started() && initiator.seen && target.seen) {
        record.without_task = c.life.end() - c.life.start() - c.ledger.total().sum();
        record.busy_at_least = c.no_task_intervals.at_least();
        record.owners = c.ledger.total();
    }
    return record;
}

} // namespace iscsiscope
