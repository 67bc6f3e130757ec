// SPDX-License-Identifier: GPL-2.0-or-later
// Follows SendTargets from its Text Request to the end of its answer, on discovery sessions and on others
// that ask for targets.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/sessions/figures/discovery_figures.h"

#include <map>
#include <vector>

namespace iscsiscope {

class DiscoveryTracker {
public:
    static constexpr std::size_t max_connections = 1024;

    void login(const LoginRecord &);
    // Any PDU of the full feature phase, in the order in which they were delivered.
    void pdu(const PduRecord &);
    // By connection.
    std::vector<DiscoveryFigures> take() const;

private:
    struct State {
        DiscoveryFigures figures;
        std::uint64_t targets = 0; // of the answer under way
        bool cut = false;          // a part of its text is not in the file
    };
    State *begun(const ConnectionFace &); // null beyond max_connections
    void request(const PduRecord &);
    static void answer(State &, const Pdu &);

    std::map<StreamId, State> connections_;
};

} // namespace iscsiscope
