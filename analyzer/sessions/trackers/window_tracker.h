// SPDX-License-Identifier: GPL-2.0-or-later
// Follows the command window of each session over time, as the initiator knows it: a MaxCmdSN takes effect
// when the PDU that carries it reaches the initiator.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/containers/by_index.h"
#include "analyzer/base/containers/fifo.h"
#include "analyzer/cycles/tasks/command_window.h"
#include "analyzer/sessions/grouping/member_table.h"
#include "analyzer/sessions/trackers/area_track.h"

#include <memory>
#include <vector>

namespace iscsiscope {

class WindowTracker {
public:
    // A command that takes a CmdSN. Returns false if it is beyond the window that the target had granted.
    bool sent(const Member &, const PduRecord &);
    // A PDU of the target with MaxCmdSN.
    void answered(const Member &, const PduRecord &);
    // The group `from` became part of `into`: they have one window from now on. Sums of `from` are dropped.
    void join(const MemberUnit &into, const MemberUnit &from);

    // To be called once.
    std::vector<WindowFigures> take(const MemberTable &);

private:
    // A target PDU between the tap and the initiator.
    struct InTransit {
        Time due{};   // arrival of its header
        Time whole{}; // arrival of its last byte
        CmdSn max;
        FrameNumber frame = 0;
    };
    struct State {
        CommandWindow window;     // by the PDUs that passed the tap
        std::optional<CmdSn> max; // MaxCmdSN as the initiator knows it
        Fifo<InTransit> in_transit;
        WindowFigures sum;
        AreaTrack size;
        Time now = Time::min();
        std::uint32_t credit = 0;
        bool running = false; // CmdSN and MaxCmdSN are known
        CompactOptional<Time> closed_since;
        // Length of the latest closed time, until the next command shows whether commands had been waiting.
        CompactOptional<Duration> opened_after;
        Time opened{}; // end of the opening PDU: some initiators act on it only then
        FrameNumber opening_frame = 0;
    };
    static void advance_to(State &, Time);
    static void arrive(State &, Time now); // PDUs due by `now`
    static void set_credit(State &, Time whole, FrameNumber);

    ByIndex<State> states_; // by unit
};

} // namespace iscsiscope
