// SPDX-License-Identifier: GPL-2.0-or-later
// Where a frame of the capture stands in what is kept of it.
#pragma once

#include "gui/document/snapshot.h"

#include <atomic>
#include <optional>

namespace iscsiscope::gui {

struct FoundFrame {
    std::optional<Row> cycle; // to which it belongs, or in whose time it lies
    std::optional<Time> time; // of the frame; empty: known only to lie in the cycle
};

// Returns the cycle that names the frame; else the time of the incident or of the TCP sample at it, with the
// shortest cycle of its connection in whose frames it lies, if there is one; else the shortest cycle in whose
// frames it lies. Empty: none, or stopped.
std::optional<FoundFrame> frameIn(const Snapshot &, FrameNumber, const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
