// SPDX-License-Identifier: GPL-2.0-or-later
// Pairs NOP requests with their answers in both directions, with the load of the connection at each request.
#pragma once

#include "analyzer/sessions/figures/load_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <map>
#include <vector>

namespace iscsiscope {

class NopTracker {
public:
    static constexpr std::size_t max_open = 64; // unanswered requests of one connection
    static constexpr std::size_t max_rows = 64; // rows of one connection

    // A NOP-Out or NOP-In.
    void nop(const Member &, const Pdu &);
    // PDU boundaries of the connection were lost, or found again: answers may have been missed between.
    void sync(StreamId stream, bool lost);
    void close(const ConnectionRecord &);

    std::vector<NopFigures> take();

private:
    struct Request {
        std::uint32_t tag = 0; // ITT of a NOP-Out, TTT of a NOP-In
        NopRow row;
    };
    struct State {
        NopFigures sum;
        std::vector<Request> open;
        std::uint32_t lost = 0; // directions whose PDU boundaries are lost at present
    };
    static void drop_open(State &);
    static void keep(State &, const NopRow &);
    static void answer(State &, bool by_target, std::uint32_t tag, const Pdu &);

    std::map<StreamId, State> states_; // by stream
};

} // namespace iscsiscope
