// SPDX-License-Identifier: GPL-2.0-or-later
// What the cycles room keeps of one open iSCSI connection.
#pragma once

#include "analyzer/base/fifo.h"
#include "analyzer/cycles/gaps/gap_tracker.h"
#include "analyzer/cycles/gaps/host_paths.h"
#include "analyzer/cycles/records/active_life.h"
#include "analyzer/cycles/tasks/pdu_counts.h"
#include "analyzer/cycles/tasks/session_table.h"
#include "analyzer/cycles/tasks/task_table.h"
#include "analyzer/iscsi/framing/pdu.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

constexpr std::size_t index(PduDirection d) {
    return static_cast<std::size_t>(d);
}

// The PDU of one direction whose header has been told and whose end has not.
struct PduUnderWay {
    bool active = false;
    PduRole role = PduRole::none;
    std::uint64_t offset = 0;
    TaskRef task;
};

// A repeat of bytes whose PDU was not known yet (behind a hole).
struct UnplacedRepeat {
    Side side{};
    std::uint64_t from = 0, to = 0;
    bool unacked = false;
};

struct CycleConnection {
    const Connection *tcp = nullptr;
    std::uint64_t stream = 0;
    std::uint32_t slot = 0;
    Side initiator{};
    std::optional<std::uint16_t> cid;
    Session *session = nullptr; // null until the first PDU behind the login
    std::unique_ptr<Login> login;
    OpenTasks open;
    std::uint64_t tasks = 0;              // met so far
    std::array<PduUnderWay, 2> under_way; // by PduDirection
    std::array<PduRanges, 2> ranges;      // by Side
    std::vector<UnplacedRepeat> unplaced;
    PduCounts pdus;
    GapTracker gaps;
    std::shared_ptr<HostPath> path;
    std::array<HostHeard *, 2> hosts{}; // of path, by Side
    ActiveLife life;

    // Ended tasks whose records are not final, oldest first (indices of HeldTasks); those of them
    // whose next_command_wait is open; those whose idle time can be taken after this segment; and
    // open tasks whose idle mark is to be set then.
    Fifo<std::uint32_t> held;
    std::size_t held_acked = 0; // how many of them, from the oldest on, have all their bytes acknowledged
    Fifo<std::uint32_t> awaiting_command;
    std::vector<std::uint32_t> to_measure;
    Time next_release = Time::max(); // when the oldest becomes final without another PDU or ACK
    std::vector<TaskRef> begun;

    std::optional<std::uint8_t> logout_reason; // of a Logout Request that waits for its answer
    std::uint16_t logout_cid = 0;
    bool pdu_in_segment = false; // since the last on_segment()
    bool logged_out = false;
    bool gone = false; // RST seen, or another login took its place: its tasks have ended

    Side side_of(PduDirection d) const { return d == PduDirection::to_target ? initiator : other(initiator); }
    // Null: no login in the capture, or not enough of it.
    const OperationalParameters *known(ParameterSet wanted) const {
        return login && login->keys.known.has_all(wanted) ? &login->keys.parameters : nullptr;
    }
    // The capture holds no frame of the target: nothing is known of its answers.
    bool answers_unheard() const { return tcp != nullptr && !tcp->end(other(initiator)).seen; }
    PduRanges &ranges_of(PduDirection d) { return ranges[iscsiscope::index(side_of(d))]; }
};

} // namespace iscsiscope
