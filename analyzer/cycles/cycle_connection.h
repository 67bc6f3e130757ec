// SPDX-License-Identifier: GPL-2.0-or-later
// CycleConnection: the state that the cycles room keeps of one open iSCSI connection, from
// CycleEngine::on_iscsi() to CycleEngine::on_close(). Among the connection's notes.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/cycles/gaps/gap_tracker.h"
#include "analyzer/cycles/records/active_life.h"
#include "analyzer/cycles/records/connection_face.h"
#include "analyzer/cycles/records/no_task_intervals.h"
#include "analyzer/cycles/service/service_evidence.h"
#include "analyzer/cycles/tasks/pdu_counts.h"
#include "analyzer/cycles/tasks/session_table.h"
#include "analyzer/cycles/tasks/task_table.h"
#include "analyzer/iscsi/framing/pdu/pdu.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

constexpr std::size_t index(PduDirection d) {
    return static_cast<std::size_t>(d);
}

// The PDU of one direction whose header has been delivered and whose last byte has not.
struct PduUnderWay {
    bool active = false;
    PduRole role = PduRole::none;
    std::uint64_t offset = 0;
    TaskRef task;
};

// Retransmitted stream bytes [from, to) whose PDU was not known when they passed (behind a hole).
struct UnplacedRepeat {
    Side side{};
    std::uint64_t from = 0, to = 0;
    bool unacked = false; // not yet acknowledged when they passed
};

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
    const Connection *tcp = nullptr;
    SharedFace face; // what its records share
    StreamId stream;
    Side initiator{};
    std::optional<std::uint16_t> cid;
    Session *session = nullptr; // null until the first PDU after the login phase
    std::shared_ptr<const Login> login;
    OpenTasks open;
    std::uint64_t tasks = 0;              // begun so far
    std::array<PduUnderWay, 2> under_way; // by PduDirection
    std::array<PduRanges, 2> ranges;      // by Side
    std::vector<UnplacedRepeat> unplaced;
    PduCounts pdus;
    GapTracker gaps;
    ServiceEvidence service;
    ActiveLife life;
    NoTaskIntervals no_task_intervals;
    ConnectionLedger ledger;

    // Indices of HeldTasks: the ended tasks whose records are not final, oldest first; of these, the tasks
    // whose next_command_wait is not known yet, and the tasks whose idle time is computed after this segment.
    Fifo<std::uint32_t> held;
    std::size_t held_acked = 0; // the oldest tasks of `held` whose bytes are all acknowledged, a count
    Fifo<std::uint32_t> awaiting_command;
    std::vector<std::uint32_t> to_measure;
    Time next_release = Time::max(); // when the oldest record becomes final without another PDU or ACK
    std::vector<TaskRef> begun;      // open tasks whose idle_mark is set after this segment

    std::optional<std::uint8_t> logout_reason; // of a Logout Request without a Logout Response so far
    std::uint16_t logout_cid = 0;
    bool pdu_in_segment = false; // a PDU header or end was delivered since the last on_segment()
    bool logged_out = false;
    bool gone = false; // an RST or a login with the same CID has ended the connection and its tasks

    Side side_of(PduDirection d) const { return d == PduDirection::to_target ? initiator : other(initiator); }
    // The parameters in force; null if the capture does not hold a login that determines all of `wanted`.
    const OperationalParameters *known(ParameterSet wanted) const {
        return login && login->keys.known.has_all(wanted) ? &login->keys.parameters : nullptr;
    }
    // True if the capture holds no frame sent by the target (a one-sided capture).
    bool target_unseen() const { return tcp != nullptr && !tcp->end(other(initiator)).seen; }
    // A task was unlinked from `open`: if it was the last, the connection's tasks have all ended.
    void note_end() {
        if (open.count == 0 && life.started() && tcp != nullptr)
            no_task_intervals.ended(life.end(), rtt_to(*tcp, initiator, &RttTrack::at_present));
    }
    PduRanges &ranges_of(PduDirection d) { return ranges[iscsiscope::index(side_of(d))]; }
};

// Null if the connection is not known to speak iSCSI.
inline CycleConnection *cycles_of(const Connection &tcp) {
    return tcp.notes->find<CycleConnection>(NotesOf::cycles);
}

} // namespace iscsiscope
