// SPDX-License-Identifier: GPL-2.0-or-later
// The input of the rules (FindingsInput) and the function that applies them (find_causes).
#pragma once

#include "analyzer/capture/decode/icmp_errors.h"
#include "analyzer/findings/facts/fact_collector.h"
#include "analyzer/findings/finding.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

struct SessionFigures; // analyzer/sessions/figures/session_figures.h

// The clocks of two files of a merged capture differ.
struct ClockGap {
    std::string file, other; // names; the clock of `file` is behind
    Duration least{};        // by at least so much
    std::uint64_t seen = 0;  // acknowledgments that came before their data
    FrameNumber first_frame = 0;
};

// What the capture holds besides records: its quality, and what ICMP says of iSCSI.
struct CaptureFacts {
    Time begin{}, end{}; // its first frame, and the latest one
    std::vector<ClockGap> clocks;
    std::uint64_t dropped_by_capture = 0; // packets, as stated in the file
    // By the sequence numbers of ERSPAN: packets that came, and that the mirror sent but that never came.
    std::uint64_t mirrored = 0, dropped_by_mirror = 0;
    std::optional<Duration> clock_resolution; // where it is coarse (OrderSummary)
    IscsiCoverage coverage;                   // the engine's at the end
    std::vector<IcmpError> icmp;
};

struct FindingsInput {
    // Both must outlive the call of find_causes().
    const Facts *facts = nullptr;             // not null
    const SessionFigures *sessions = nullptr; // null: rules that need them report that figures are missing
    CaptureFacts capture;
};

struct FindingsOptions {
    double shown_from = 0.02; // least lost time of a finding, as share of the busy time
    // The facts are of a range, or of the tasks of a filter; figures of TCP and of sessions are not.
    bool of_range = false, of_filter = false;
};

FindingsResult find_causes(const FindingsInput &, const FindingsOptions & = {});

} // namespace iscsiscope
