// SPDX-License-Identifier: GPL-2.0-or-later
// The command window of each session over time.
#pragma once

#include "analyzer/base/fifo.h"
#include "analyzer/cycles/tasks/command_window.h"
#include "analyzer/sessions/grouping/member_table.h"
#include "analyzer/sessions/trackers/area_track.h"

#include <memory>
#include <vector>

namespace iscsiscope {

class WindowTracker {
public:
    // A command that takes a number. False: it lies beyond the window that the target had granted.
    bool sent(const Member &, const Connection &, const Pdu &);
    // A PDU of the target that states the window.
    void answered(const Member &, const Connection &, const Pdu &);
    // The group `from` became part of `into`: the numbers are one window from now on; what was counted for
    // `from` alone is dropped.
    void join(const MemberUnit &into, const MemberUnit &from);

    // Call once.
    std::vector<WindowFigures> take(const MemberTable &);

private:
    // An answer on its way to the initiator.
    struct OnTheWay {
        Time due{};
        Time whole{}; // all of its PDU
        CmdSn max;
        FrameNumber frame = 0;
    };
    struct State {
        CommandWindow window;     // as it passed the tap
        std::optional<CmdSn> max; // as the initiator knows it
        Fifo<OnTheWay> on_the_way;
        WindowFigures sum;
        AreaTrack size;
        Time now{};
        std::uint32_t credit = 0;
        bool running = false; // both numbers are known
        std::optional<Time> closed_since;
        // The latest time that it was closed, until it is known whether work was waiting.
        std::optional<Duration> opened_after;
        Time opened{}; // with the whole PDU: some initiators look at it only then
        FrameNumber opening_frame = 0;
    };
    State &of(const MemberUnit &);
    static void go_on(State &, Time);
    static void arrive(State &, Time now); // what is due by now
    static void set_credit(State &, Time whole, FrameNumber);

    std::vector<std::unique_ptr<State>> states_; // by unit
};

} // namespace iscsiscope
