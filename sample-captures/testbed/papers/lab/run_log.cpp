// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/lab/run_log.h"

#include "analyzer/report/json/json_library.h"

#include <fstream>

namespace iscsiscope::testbed::papers {
namespace {

using nlohmann::json;

void read_row(const json &row, RunLog &log) {
    const std::string kind = row.value("row", "");
    if (kind == "scenario") {
        log.valid = row.value("valid", false);
        log.reasons = row.value("reasons", std::vector<std::string>{});
        log.warnings = row.value("warnings", std::vector<std::string>{});
        log.carrier = row.value("carrier", "");
        log.kernel = row.value("kernel", "");
    } else if (kind == "shim") {
        log.lateness_p50_ns = row.at("lateness").value("p50_ns", std::int64_t{0});
        log.lateness_p99_ns = row.at("lateness").value("p99_ns", std::int64_t{0});
        log.longest_stall_ns = row.value("longest_stall_ns", std::int64_t{0});
    } else if (kind == "drop") {
        log.drops.push_back({row.value("time_ns", std::int64_t{0}), row.value("link", "")});
    } else if (kind == "apt") {
        log.tuner.push_back({row.value("time_ns", std::int64_t{0}), row.value("connections", 0U),
                             row.value("next", 0U), row.value("settled", false)});
    }
}

// Rows that are read; the others (commands, TCP_INFO) are many and are skipped unparsed.
bool wanted(const std::string &line) {
    for (const char *kind : {"\"scenario\"", "\"shim\"", "\"drop\"", "\"apt\""})
        if (line.compare(0, 7 + std::char_traits<char>::length(kind), std::string("{\"row\":") + kind) == 0)
            return true;
    return line.find("\"row\":\"apt\"") != std::string::npos;
}

} // namespace

RunLog read_run_log(const std::string &path) {
    RunLog log;
    log.reasons = {"the run left no truth file that can be read"};
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        if (!wanted(line))
            continue;
        const json row = json::parse(line, nullptr, false);
        if (row.is_object()) {
            try {
                read_row(row, log);
            } catch (const json::exception &) {
                log.valid = false;
                log.reasons.emplace_back("a row of the truth file is not as meant");
            }
        }
    }
    return log;
}

} // namespace iscsiscope::testbed::papers
