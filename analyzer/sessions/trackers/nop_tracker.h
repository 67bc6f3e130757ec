// SPDX-License-Identifier: GPL-2.0-or-later
// Pings in both directions, with the load at the moment they were asked.
#pragma once

#include "analyzer/sessions/figures/load_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <map>
#include <vector>

namespace iscsiscope {

class NopTracker {
public:
    static constexpr std::size_t most_open = 64; // questions of one connection without an answer yet
    static constexpr std::size_t most_rows = 64; // kept of one connection

    // NOP-Out or NOP-In.
    void nop(const Member &, const Pdu &);
    // PDU boundaries of the connection were lost, or found again: answers may lie between.
    void sync(std::uint64_t stream, bool lost);
    void close(const ConnectionRecord &);

    std::vector<NopFigures> take();

private:
    struct Question {
        std::uint32_t tag = 0; // ITT, or TTT of the target's
        NopRow row;
    };
    struct State {
        NopFigures sum;
        std::vector<Question> open;
        std::uint32_t lost = 0; // directions whose PDUs cannot be read at the moment
    };
    static void drop_open(State &);
    static void keep(State &, const NopRow &);
    static void answer(State &, bool by_target, std::uint32_t tag, const Pdu &);

    std::map<std::uint64_t, State> states_; // by stream
};

} // namespace iscsiscope
