// SPDX-License-Identifier: GPL-2.0-or-later
// iscsiscope-testbed: sub-commands and their options.
#include "analyzer/base/help/keep_lines.h"
#include "analyzer/base/process/guarded.h"
#include "analyzer/base/version/version_line.h"
#include "sample-captures/testbed/run/commands/catalogue.h"
#include "sample-captures/testbed/run/commands/selftest.h"
#include "sample-captures/testbed/run/commands/stream.h"
#include "sample-captures/testbed/run/commands/sweep.h"
#include "sample-captures/testbed/run/commands/watch.h"
#include "sample-captures/testbed/run/guest/boot.h"
#include "sample-captures/testbed/run/guest/first_process.h"
#include "sample-captures/testbed/run/run_scenario.h"

#include "sample-captures/testbed/initiator/initiator_main.h"
#include "sample-captures/testbed/papers/papers.h"
#include "sample-captures/testbed/target/target_main.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <unistd.h>

namespace {

namespace run = iscsiscope::testbed::run;

struct Options {
    std::vector<std::string> scenarios;
    std::vector<std::string> sets;
    std::string folder = ".";
    std::string progress = "auto";
    std::string clock = "auto";
    std::string kernel;
    bool in_virtual_time = false;
    bool force_user = false;
};

run::RunOptions run_options(const Options &given) {
    run::RunOptions options;
    options.folder = given.folder;
    options.force_user_namespace = given.force_user;
    if (given.clock != "auto")
        options.clock = given.clock == "real" ? iscsiscope::testbed::KindOfClock::real
                                              : iscsiscope::testbed::KindOfClock::simulated;
    if (given.progress == "jsonl")
        options.progress = run::ProgressStyle::jsonl;
    else if (given.progress == "auto" && ::isatty(STDERR_FILENO) != 0)
        options.progress = run::ProgressStyle::bar;
    return options;
}

void add_run_options(CLI::App &command, Options &options) {
    command.add_option("-o,--output", options.folder, "Folder for captures and truth (made if missing)")
        ->capture_default_str();
    command
        .add_option("--progress", options.progress,
                    "auto (a bar on a terminal), none, or jsonl on standard output")
        ->check(CLI::IsMember({"auto", "none", "jsonl"}))
        ->capture_default_str();
    command.add_flag("--user-namespace", options.force_user, "Use a user namespace and veth even as root")
        ->group("");
}

CLI::App *add_watch(CLI::App &app, run::WatchCommand &given) {
    CLI::App *command = app.add_subcommand(
        "watch",
        "Run a scenario and write the capture of one place to a pipe as the packets pass; keep nothing.\n"
        "Ends with the scenario, with a signal, or with the reader.");
    command->add_option("SCENARIO", given.scenario, "A .toml file, or a bundled scenario's name")->required();
    command->add_option(
        "--at", given.place,
        "A host, a tap, or a link (in the middle of its delay); the first host if none is named");
    command->add_option("-w,--write", given.output, "A FIFO, or - for standard output")
        ->capture_default_str();
    command->add_option("--set", given.sets, "Change a value, as in link.wan.delay=2ms (repeatable)")
        ->allow_extra_args(false);
    command->add_option(
        "--duration", given.duration,
        "Let the initiators go on for this time, whatever count, size or duration the scenario\n"
        "gives them; 0: until the end is asked for. Without it the scenario ends as written");
    command->add_option("--filter", given.filter,
                        "Packets to keep, in libpcap's language: \"tcp port 3260\"");
    command->add_flag("--check", given.check_only, "Name the mistakes in what is given, run nothing");
    command->add_flag("--quiet", given.quiet, "Remarks on the machine's lateness only in the capture");
    command->add_flag("--user-namespace", given.force_user_namespace, "")->group("");
    return command;
}

// The programs that run inside hosts, and papers, parse their own command lines.
int dispatch(const std::string &name, int argc, char **argv, bool &known) {
    known = true;
    if (name == "stream")
        return run::stream_main(argc - 1, argv + 1);
    if (name == "target")
        return iscsiscope::testbed::target_main(argc - 1, argv + 1);
    if (name == "initiator")
        return iscsiscope::testbed::initiator_main(argc - 1, argv + 1);
    if (name == "papers")
        return iscsiscope::testbed::papers::papers_main(argc - 1, argv + 1);
    known = false;
    return 0;
}

// Where the kernel lies if --kernel does not say it.
std::string default_kernel() {
    const char *given = std::getenv("ISCSISCOPE_VIRTUAL_KERNEL");
    return given != nullptr ? given : "build/stacks/linux-virtual";
}

void add_clock_options(CLI::App &command, Options &options) {
    CLI::Option *clock =
        command
            .add_option("--clock", options.clock,
                        "real, virtual (the clock is stopped while programs compute: the shim sleeps to its\n"
                        "deadlines), or auto: it is found out")
            ->check(CLI::IsMember({"auto", "real", "virtual"}))
            ->capture_default_str();
    CLI::Option *guest =
        command
            .add_flag(
                "--virtual", options.in_virtual_time,
                "Boot a Linux kernel whose clock is simulated as a process and run the scenario in it:\n"
                "exact, the same bytes each time, at any rate")
            ->excludes(clock);
    command
        .add_option("--kernel", options.kernel,
                    "With --virtual: the kernel (default: $ISCSISCOPE_VIRTUAL_KERNEL, else\n"
                    "build/stacks/linux-virtual)")
        ->needs(guest);
}

int run_once(const Options &given) {
    const auto overrides = run::parse_overrides(given.sets);
    const auto loaded = run::load_named(given.scenarios.front(), overrides);
    if (!loaded)
        return run::exit_error;
    if (!given.in_virtual_time)
        return run::run_apart(*loaded, run_options(given));
    const std::string kernel = given.kernel.empty() ? default_kernel() : given.kernel;
    return run::run_virtual(*loaded,
                            {kernel, run::scenario_file(given.scenarios.front()).value(), given.sets},
                            run_options(given));
}

int main_with_options(int argc, char **argv) {
    CLI::App app{"Makes captures of iSCSI whose truth is known: a reference initiator and target, real TCP\n"
                 "between them, over links with delay, loss, limited rate and queues.",
                 "iscsiscope-testbed"};
    iscsiscope::keep_lines(*app.get_formatter());
    app.set_version_flag("--version", iscsiscope::version_line("iscsiscope-testbed"));
    app.require_subcommand(1);
    Options given;
    run::WatchCommand watched;
    std::string part;
    std::string list_format = "text";
    bool quick = false;

    CLI::App *run_command = app.add_subcommand(
        "run", "Run a scenario once: captures at each end, the truth beside them.\n"
               "Exit code: 0 done, 1 the run is not valid, 2 usage or set-up error, 130 interrupted.");
    run_command
        ->add_option("SCENARIO", given.scenarios, "A .toml file, or a bundled scenario's name (see list)")
        ->required()
        ->expected(1);
    run_command->add_option("--set", given.sets, "Change a value, as in link.wan.delay=2ms (repeatable)")
        ->allow_extra_args(false);
    add_run_options(*run_command, given);
    add_clock_options(*run_command, given);

    CLI::App *sweep_command =
        app.add_subcommand("sweep", "Run a scenario once for every combination of values");
    sweep_command->add_option("SCENARIO", given.scenarios, "A .toml file, or a bundled scenario's name")
        ->required()
        ->expected(1);
    sweep_command
        ->add_option("--set", given.sets, "Values to go through, as in link.wan.delay=1ms,2ms (repeatable)")
        ->required()
        ->allow_extra_args(false);
    add_run_options(*sweep_command, given);

    CLI::App *check_command =
        app.add_subcommand("check", "Name every mistake in scenarios, with line and key");
    check_command->add_option("SCENARIO", given.scenarios, "Files or bundled names")->required();
    const CLI::App *watch_command = add_watch(app, watched);
    CLI::App *list_command = app.add_subcommand("list", "List the bundled scenarios");
    list_command->add_option("SCENARIO", given.scenarios, "Only these: files or bundled names");
    list_command->add_option("--format", list_format, "text, or jsonl with hosts, taps and links")
        ->check(CLI::IsMember({"text", "jsonl"}))
        ->capture_default_str();
    CLI::App *self_command =
        app.add_subcommand("selftest", "Measure how well the shim holds what it promises here");
    self_command->add_option("PART", part, "What to test")->required()->check(CLI::IsMember({"shim"}));
    self_command->add_flag("--quick", quick, "Fewer delays, shorter flows, one repetition");
    self_command->add_flag("--user-namespace", given.force_user, "Use a user namespace and veth even as root")
        ->group("");
    app.footer(
        "Programs with their own options (see e.g. `iscsiscope-testbed stream --help`):\n"
        "  target       the reference target\n"
        "  initiator    the reference initiator\n"
        "  stream       a plain TCP stream, for comparison\n"
        "  papers       the studies this program grew from, run, measured and set beside their figures\n"
        "\n"
        "Examples: iscsiscope-testbed run plain-read.toml -o results --set link.wan.delay=8ms\n"
        "          iscsiscope-testbed watch plain-read --duration 10s | tshark -r -");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? run::exit_done : run::exit_error;
    }
    if (list_command->parsed())
        return run::list_scenarios(given.scenarios, list_format == "jsonl");
    if (watch_command->parsed())
        return run::watch(watched);
    if (check_command->parsed())
        return run::check_scenarios(given.scenarios);
    if (self_command->parsed())
        return run::selftest_shim(quick, given.force_user);
    if (sweep_command->parsed())
        return run::sweep(given.scenarios.front(), given.sets, run_options(given));
    (void)run_command;
    return run_once(given);
}

} // namespace

int main(int argc, char **argv) {
    return iscsiscope::guarded(
        "iscsiscope-testbed", run::exit_error,
        [&] {
            if (argc == 2 && std::string(argv[1]) == "guest")
                return run::first_process([](std::vector<std::string> arguments) {
                    std::string name = "iscsiscope-testbed";
                    std::vector<char *> words = {name.data()};
                    words.reserve(arguments.size() + 1);
                    for (std::string &argument : arguments)
                        words.push_back(argument.data());
                    return main_with_options(static_cast<int>(words.size()), words.data());
                });
            bool known = false;
            const int code = argc > 1 ? dispatch(argv[1], argc, argv, known) : 0;
            return known ? code : main_with_options(argc, argv);
        });
}
