// SPDX-License-Identifier: GPL-2.0-or-later
// The report of a run, as text or JSON.
#pragma once

#include "sample-captures/testbed/initiator/workload/apt_controller.h"
#include "sample-captures/testbed/initiator/workload/run_figures.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iscsiscope::testbed::initiator {

struct TargetReport {
    std::string portal, name, vendor, product;
    std::uint64_t lun = 0, blocks = 0;
    std::uint32_t block_bytes = 0;
    std::uint64_t r2ts = 0, aborts = 0, rejects = 0;
    std::vector<std::string> connection_names;
    std::vector<std::pair<std::string, std::string>> keys; // in force
};

struct VerificationReport {
    std::uint64_t checked_blocks = 0, unchecked_blocks = 0, wrong_blocks = 0;
    std::vector<std::string> complaints;
};

struct TuningReport {
    unsigned chosen = 0;
    bool settled = false;
    std::vector<AptSample> samples;
};

struct RunReport {
    std::string workload;
    std::uint64_t block_bytes = 0; // of a request
    unsigned depth = 1, processes = 1, connections = 1;
    std::vector<TargetReport> targets;
    RunFigures figures;
    std::optional<VerificationReport> verification; // --verify
    std::optional<TuningReport> tuning;             // --apt
    std::vector<std::string> errors;
    int exit_code = 0;
};

std::string report_text(const RunReport &report);
std::string report_json(const RunReport &report); // one line, keys with their units in the name

} // namespace iscsiscope::testbed::initiator
