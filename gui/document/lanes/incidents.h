// SPDX-License-Identifier: GPL-2.0-or-later
// Incidents: what happened to a connection at one time and is marked on its lane.
#pragma once

#include "gui/document/stores/record_stores.h"

#include <array>
#include <map>
#include <vector>

namespace iscsiscope::gui {

enum class IncidentKind : std::uint8_t {
    sentAgain,  // a retransmission; place: row of Tables::retransmissions
    outage,     // a gap in which repeats had no answer; place: row of Tables::gaps
    failedTask, // a task that the target refused or that was lost, but for what every device scan is refused;
                // place: row of Tables::cycles
    reset,      // task management, Reject, Async Message, place: of Tables::events; or the connection's reset
    login,      // place: of Tables::connections
};
inline constexpr std::size_t incidentKinds = 5;

struct Incident {
    Time time;
    FrameNumber frame = 0; // 0: none
    Row place = 0;         // of its record; noPlace: of a reset, the connection itself was reset
    static constexpr Row noPlace = ~Row{0};
};

// Of one connection, by kind, in order of time.
using Incidents = std::array<std::vector<Incident>, incidentKinds>;

// Returns the incidents of all connections, by stream.
std::map<StreamId, Incidents> incidentsOf(const Tables &);

// A failed task: it ended otherwise than well while its connection was in use. Tasks of which the capture
// does not hold the command or the end are not known to have failed.
bool hasFailed(TaskOutcome);

} // namespace iscsiscope::gui
