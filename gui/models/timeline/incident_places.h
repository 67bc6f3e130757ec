// SPDX-License-Identifier: GPL-2.0-or-later
// Where incidents are marked on a lane: those near each other share one mark, which counts them.
#pragma once

#include "gui/document/snapshot.h"

#include <array>
#include <optional>
#include <vector>

namespace iscsiscope::gui {

inline constexpr int incidentCell = 10; // pixels that share a mark

struct IncidentMark {
    double x = 0; // pixels from the left of the view: the middle of its incidents
    std::array<std::size_t, incidentKinds> counts{};
    std::array<std::optional<Incident>, incidentKinds> first;

    std::size_t count() const;
    IncidentKind kind() const; // the gravest of them
};

// Returns the marks of some connections in the view, from left to right. shown: by kind. The cells are fixed
// in time, so that marks do not regroup while the view moves.
std::vector<IncidentMark> incidentMarks(const std::vector<const Incidents *> &,
                                        const std::array<bool, incidentKinds> &shown, Interval view,
                                        int pixels);

} // namespace iscsiscope::gui
