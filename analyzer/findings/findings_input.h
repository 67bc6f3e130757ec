// SPDX-License-Identifier: GPL-2.0-or-later
// What the rules read, and the one call that applies them.
#pragma once

#include "analyzer/findings/facts/fact_collector.h"
#include "analyzer/findings/finding.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include <cstdint>

namespace iscsiscope {

struct SessionFigures; // analyzer/sessions/figures/session_figures.h

// What the file says of itself, as far as it matters here.
struct CaptureFacts {
    std::uint64_t dropped_by_capture = 0; // as the file says
    IscsiCoverage coverage;               // as the engine has it at the end
};

struct FindingsInput {
    const Facts *facts = nullptr;             // never null
    const SessionFigures *sessions = nullptr; // null: what needs them is ruled out for want of figures
    CaptureFacts capture;
};

struct FindingsOptions {
    double shown_from = 0.01; // share of the active life
};

FindingsResult find_causes(const FindingsInput &, const FindingsOptions & = {});

} // namespace iscsiscope
