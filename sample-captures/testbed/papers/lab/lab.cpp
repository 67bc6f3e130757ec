// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/lab/lab.h"

#include "analyzer/base/number_format.h"
#include "sample-captures/testbed/papers/lab/run_log.h"
#include "sample-captures/testbed/run/commands/catalogue.h"
#include "sample-captures/testbed/run/run_scenario.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {

namespace fs = std::filesystem;

Lab::Lab(std::string folder, bool keep)
    : folder_(std::move(folder)), keep_(keep), begin_(std::chrono::steady_clock::now()) {}

void Lab::begin_study() {
    runs_.clear();
    runs_.reserve(1024); // run() hands out references
}

const Run &Lab::run(const RunRequest &request) {
    Run run;
    run.label = request.label;
    run.scenario = request.scenario;
    std::vector<scenario::Override> overrides;
    for (const Setting &setting : request.settings) {
        overrides.push_back({setting.key, setting.value});
        run.settings += (run.settings.empty() ? "" : ", ") + setting.key + " = " + setting.value;
    }
    const auto loaded = failure_.empty() ? run::load_named(request.scenario, overrides) : std::nullopt;
    if (!loaded) {
        failure_ = failure_.empty() ? "the scenario " + request.scenario + " has mistakes" : failure_;
        run.log.reasons = {failure_};
        runs_.push_back(std::move(run));
        return runs_.back();
    }
    run::RunOptions options;
    options.folder = fmt::format("{}/captures/{}", folder_, runs_.size());
    options.quiet = true;
    run.prefix = options.folder + "/" + loaded->name;
    while (run.attempts < std::max(request.attempts, 1U) && !run.log.valid) {
        ++run.attempts;
        std::fprintf(stderr, "%5.0f s  %s%s\n",
                     std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(),
                     request.label.c_str(), run.attempts > 1 ? " (again: the run before was not valid)" : "");
        const int code = run::run_apart(*loaded, options);
        if (code != run::exit_done && code != run::exit_not_valid) {
            failure_ =
                code == run::exit_interrupted ? "interrupted" : "the run could not be set up on this machine";
            run.log.reasons = {failure_};
            break;
        }
        run.log = read_run_log(run.prefix + ".truth.jsonl");
        if (request.lateness_bound && run.log.lateness_p99_ns > request.lateness_bound->count()) {
            run.log.valid = false;
            run.log.reasons.push_back(fmt::format(
                "1 packet in 100 was over {} late, and here times count (bound {})",
                human::duration(run.log.lateness_p99_ns), human::duration(*request.lateness_bound)));
        }
    }
    runs_.push_back(std::move(run));
    return runs_.back();
}

Measured Lab::measure(const Run &run, const std::string &place, Duration interval) {
    if (!failure_.empty())
        return {};
    auto measured = papers::measure(run.capture(place), interval);
    if (!measured.ok()) {
        std::fprintf(stderr, "iscsiscope-testbed: papers: %s\n", measured.failure().message.c_str());
        return {};
    }
    return std::move(measured.value());
}

void Lab::forget(const Run &run) {
    std::error_code error;
    if (!keep_ && !run.prefix.empty())
        fs::remove_all(fs::path(run.prefix).parent_path(), error);
}

std::string plain(double value) {
    return fmt::format("{:.6g}", value);
}

} // namespace iscsiscope::testbed::papers
