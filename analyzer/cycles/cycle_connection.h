// SPDX-License-Identifier: GPL-2.0-or-later
// CycleConnection: the state that the cycles room keeps of one open iSCSI connection, from
// CycleEngine::on_iscsi() to CycleEngine::on_close(). Among the connection's notes.
#pragma once

#include "analyzer/cycles/gaps/gap_tracker.h"
#include "analyzer/cycles/pdus/pdu_streams.h"
#include "analyzer/cycles/records/active_life.h"
#include "analyzer/cycles/records/connection_face.h"
#include "analyzer/cycles/records/no_task_intervals.h"
#include "analyzer/cycles/service/service_evidence.h"
#include "analyzer/cycles/tasks/connection_logout.h"
#include "analyzer/cycles/tasks/due_tasks.h"
#include "analyzer/cycles/tasks/held_queue.h"
#include "analyzer/cycles/tasks/missed_answers.h"
#include "analyzer/cycles/tasks/session_table.h"
#include "analyzer/cycles/tasks/task_table.h"
#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

// True if the tap is near this end: its round trips show little but the time of its own TCP.
inline bool near(const Connection &tcp, Side end) {
    const auto &own = tcp.end(end).rtt.minimum, &far = tcp.end(other(end)).rtt.minimum;
    return own && far && *own * 8 <= *far;
}

// Returns the round trip tap -> end -> tap with which the answers of this end are compared: as `far` states
// it, which holds the queues of the path. Near the end it is the running minimum: what its samples hold above
// that is the time of the end's own TCP, not of a queue. Empty if no round trip is known.
inline std::optional<Duration> rtt_to(const Connection &tcp, Side end,
                                      std::optional<Duration> (RttTrack::*far)() const) {
    const RttTrack &rtt = tcp.end(end).rtt;
    return near(tcp, end) ? std::optional<Duration>(rtt.minimum) : (rtt.*far)();
}

struct CycleConnection final : RoomNotes {
    // All references must outlive the object. gap_threshold: CycleOptions'.
    CycleConnection(const Connection &c, Side initiating, const RecordTables &records,
                    const std::optional<Duration> &gap_threshold)
        : tcp(c), clock({c.clock, c.first_time}), initiator(initiating),
          gaps({c, initiating, pdus.ranges(), open, life, ledger, records, gap_threshold}) {}

    const Connection &tcp;
    SharedFace face; // what its records share
    struct {
        std::uint8_t number; // Segment::clock of the latest PDU
        Time from;           // its first PDU was known then
    } clock;
    Side initiator;
    std::optional<std::uint16_t> cid;
    ConnectionLogout logout;
    Session *session = nullptr; // null until the first PDU after the login phase
    std::shared_ptr<const Login> login;
    OpenTasks open;
    bool gone = false;       // an RST or a login with the same CID has ended the connection and its tasks
    std::uint64_t tasks = 0; // begun so far
    PduStreams pdus;
    ActiveLife life;
    ConnectionLedger ledger;
    GapTracker gaps; // reads and fills the ones before
    ServiceEvidence service;
    NoTaskIntervals no_task_intervals;
    HeldQueue held;
    DueTasks due;
    MissedAnswers missed_answers;

    Side side_of(PduDirection d) const { return d == PduDirection::to_target ? initiator : other(initiator); }
    // The parameters in force; null if the capture does not hold a login that determines all of `wanted`.
    const OperationalParameters *known(ParameterSet wanted) const {
        return login && login->keys.known.has_all(wanted) ? &login->keys.parameters : nullptr;
    }
    // True if the capture holds no frame sent by the target (a one-sided capture).
    bool target_unseen() const { return !tcp.end(other(initiator)).seen; }
    // A task was unlinked from `open`: if it was the last, the connection's tasks have all ended.
    void note_end() {
        if (open.count == 0 && life.started())
            no_task_intervals.ended(life.end(), rtt_to(tcp, initiator, &RttTrack::at_present));
    }
    const PduRanges &ranges_of(PduDirection d) const { return pdus.ranges()[iscsiscope::index(side_of(d))]; }
};

// Null if the connection is not known to speak iSCSI.
inline CycleConnection *cycles_of(const Connection &tcp) {
    return tcp.notes->find<CycleConnection>(NotesOf::cycles);
}

} // namespace iscsiscope
