// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/papers.h"

#include "sample-captures/testbed/papers/python_studies.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace iscsiscope::testbed::papers {
namespace {

enum ExitCode : int { done = 0, trouble = 2 };

int fail(const std::string &why) {
    std::fprintf(stderr, "iscsiscope-testbed: papers: %s\n", why.c_str());
    return trouble;
}

} // namespace

int papers_main(int argc, char **argv) {
    CLI::App app{
        "Runs the studies that this program grew from, measures them with the analyzer and writes a page\n"
        "for each: published figure, model and measurement side by side.",
        "iscsiscope-testbed papers"};
    PythonRun run;
    app.add_option("NAME", run.names,
                   "Which; all if none is named: latency mirror speed-step apt raid "
                   "mirror-reasons apt-reasons raid-reasons");
    app.add_flag("--quick", run.quick, "Fewer points and shorter runs: all in a few minutes");
    app.add_option("--seed", run.seed, "Of loss, jitter and addresses")->capture_default_str();
    app.add_flag("--keep-captures", run.keep, "Leave the captures in DIR/captures");
    app.add_option("-o,--output", run.folder, "Folder for the pages (made if missing)")->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? done : trouble;
    }
    const auto studies = PythonStudies::find();
    return fail(studies.ok() ? studies.value().become(run) : studies.failure().message);
}

} // namespace iscsiscope::testbed::papers
