// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/papers.h"

#include "sample-captures/testbed/papers/page/page.h"
#include "sample-captures/testbed/papers/python_studies.h"
#include "sample-captures/testbed/run/commands/catalogue.h"
#include "sample-captures/testbed/run/output_folder.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace iscsiscope::testbed::papers {
namespace {

namespace fs = std::filesystem;

enum ExitCode : int { done = 0, not_valid = 1, trouble = 2, interrupted = 130 };

struct Options {
    std::vector<std::string> names;
    std::string folder;
    unsigned seed = 1;
    bool quick = false, keep = false;
};

Circumstances circumstances(bool quick) {
    Circumstances c;
    utsname system{};
    ::uname(&system);
    c.version = ISCSISCOPE_VERSION " (build: " ISCSISCOPE_BUILD ")";
    c.kernel = fmt::format("{} {}", system.sysname, system.release);
    c.machine = fmt::format("{} processors, {}", ::sysconf(_SC_NPROCESSORS_ONLN), system.machine);
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    c.date = fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                         utc.tm_hour, utc.tm_min);
    c.quick = quick;
    return c;
}

bool write_file(const std::string &path, const std::string &text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        std::fprintf(stderr, "iscsiscope-testbed: %s could not be written\n", path.c_str());
    return static_cast<bool>(file);
}

int fail(const std::string &why) {
    std::fprintf(stderr, "iscsiscope-testbed: papers: %s\n", why.c_str());
    return trouble;
}

void print(const StudyOutcome &outcome) {
    const auto valid =
        std::count_if(outcome.runs.begin(), outcome.runs.end(), [](const Run &run) { return run.log.valid; });
    std::printf("%s: %zu runs, %td valid, %.0f s\n", std::string(outcome.study->name).c_str(),
                outcome.runs.size(), valid, outcome.took_s);
    for (const Claim &claim : outcome.page.claims) {
        std::printf("  %-20s %s: %s\n", std::string(text_of(claim.verdict)).c_str(), claim.id.c_str(),
                    claim.measured.c_str());
    }
    std::fflush(stdout);
}

// The study's outcome, or why there is none.
Result<StudyOutcome> run_study(const Study &study, Lab &lab, bool quick) {
    const auto path = run::bundled_file(fmt::format("papers/published/{}.json", study.name));
    if (!path)
        return Failure{fmt::format("the published figures of {} were not found", study.name)};
    auto loaded = Published::load(*path);
    if (!loaded.ok())
        return loaded.failure();
    StudyOutcome outcome;
    outcome.study = &study;
    outcome.published = std::move(loaded.value());
    const auto begin = std::chrono::steady_clock::now();
    lab.begin_study();
    outcome.page = study.run({lab, outcome.published, quick});
    outcome.took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    outcome.runs = lab.runs();
    if (!lab.failure().empty())
        return Failure{lab.failure()};
    if (!outcome.published.missing().empty())
        return Failure{*path + ": there is no " + outcome.published.missing().front()};
    return outcome;
}

int run_all(const Options &options, const std::vector<const Study *> &studies) {
    const Circumstances where = circumstances(options.quick);
    std::error_code error;
    const auto lock = run::FolderLock::take(options.folder);
    if (!lock.ok())
        return fail(lock.failure().message);
    Lab lab(options.folder, options.keep);
    bool valid = true;
    for (const Study *study : studies) {
        auto result = run_study(*study, lab, options.quick);
        if (!options.keep)
            fs::remove_all(options.folder + "/captures", error);
        if (!result.ok()) {
            const std::string &why = result.failure().message;
            return why == "interrupted" ? static_cast<int>(interrupted) : fail(why);
        }
        const StudyOutcome &outcome = result.value();
        const std::string stem = fmt::format("{}/{}", options.folder, study->name);
        if (!write_file(stem + ".html", html_page(outcome, where)) ||
            !write_file(stem + ".json", json_of(outcome, where)))
            return trouble;
        print(outcome);
        valid = valid && std::all_of(outcome.runs.begin(), outcome.runs.end(),
                                     [](const Run &run) { return run.log.valid; });
    }
    return valid ? done : not_valid;
}

bool named(const Options &options, std::string_view name) {
    return std::find(options.names.begin(), options.names.end(), name) != options.names.end();
}

} // namespace

const std::vector<Study> &all_studies() {
    static const std::vector<Study> studies = {
        {"apt", "iSCSI-APT: parallel connections tuned", apt_study},
    };
    return studies;
}

int papers_main(int argc, char **argv) {
    CLI::App app{
        "Runs the studies that this program grew from, measures them with the analyzer and writes a page\n"
        "for each: published figure, model and measurement side by side.",
        "iscsiscope-testbed papers"};
    Options options;
    app.add_option("NAME", options.names, "Which; all if none is named: latency mirror speed-step apt raid");
    app.add_flag("--quick", options.quick, "Fewer points and shorter runs: all five in a few minutes");
    app.add_option("--seed", options.seed, "Of loss, jitter and addresses")->capture_default_str();
    app.add_flag("--keep-captures", options.keep, "Leave the captures in DIR/captures");
    app.add_option("-o,--output", options.folder, "Folder for the pages (made if missing)")->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? done : trouble;
    }
    auto python = PythonStudies::find();
    if (!python.ok())
        return fail(python.failure().message);
    std::vector<const Study *> here; // not written in Python yet
    std::vector<std::string> there;
    for (const Study &study : all_studies())
        if (!python.value().has(std::string(study.name)) &&
            (options.names.empty() || named(options, study.name)))
            here.push_back(&study);
    for (const std::string &name : options.names)
        if (python.value().has(name))
            there.push_back(name);
        else if (std::none_of(here.begin(), here.end(), [&](const Study *s) { return s->name == name; }))
            return fail("there is no study \"" + name + "\"; see --help");
    const int code = here.empty() ? static_cast<int>(done) : run_all(options, here);
    if (code != done && code != not_valid)
        return code;
    PythonRun run;
    run.names = there;
    run.none = !options.names.empty() && there.empty();
    run.folder = options.folder;
    run.quick = options.quick;
    run.keep = options.keep;
    run.invalid_before = code == not_valid;
    run.seed = options.seed;
    return fail(python.value().become(run));
}

} // namespace iscsiscope::testbed::papers
