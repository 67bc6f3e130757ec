// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/process/guarded.h"
#include "analyzer/base/version/version_line.h"
#include "analyzer/cli/arguments/help_pages.h"
#include "analyzer/cli/arguments/mistaken_arguments.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/end_by_signal.h"
#include "analyzer/cli/program.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <sstream>

namespace iscsiscope::cli {
namespace {

// --help and --version, or what is wrong with the arguments.
int answer_parser(const CLI::App &app, const CLI::ParseError &e, Program &program) {
    std::ostringstream help, mistake;
    if (app.exit(e, help, mistake) != 0) {
        const auto [command, message] = mistake_in_arguments(app, e);
        return usage_error(command, message);
    }
    OutputFile out("-", program.unfinished);
    out.write(help.str());
    return commit(out);
}

int run(int argc, char **argv) {
    Program program;
    const EndBySignal end_by_signal(program.unfinished);

    CLI::App app("Where the time of iSCSI Read and Write cycles goes, from a packet capture");
    app.name("iscsiscope");
    app.formatter(help_pages(terminal_width("-"))); // of the commands too, which take it over
    app.set_version_flag("--version", version_line("iscsiscope"));
    app.require_subcommand(1);
    add_report_command(app, program);
    add_row_commands(app, program);
    add_compare_command(app, program);
    add_predict_command(app, program);
    add_explain_command(app, program);
    add_columns_command(app, program);
    // After the commands, which would take it over.
    app.footer("Examples:\n"
               "  iscsiscope report trace.pcapng.zst\n"
               "  iscsiscope report trace.pcapng --format html -o trace.html\n"
               "  iscsiscope compare before.pcap after.pcap\n"
               "  iscsiscope predict trace.pcap --set MaxBurstLength=1MiB\n"
               "  iscsiscope cycles trace.pcapng --filter 'response_time > 20ms'\n"
               "  tcpdump -i eth0 -w - tcp port 3260 | iscsiscope report -\n"
               "\n"
               "`iscsiscope COMMAND --help` lists the options of a command, with examples. Ctrl-C ends a "
               "capture that comes from a pipe, and its report follows.\n"
               "\n"
               "Exit code: 0 done; 1 a --fail-on condition holds (or --strict and the capture is damaged); "
               "2 usage error, unreadable input or output that cannot be written.");
    for (CLI::App *command : app.get_subcommands({}))
        command->group("Commands");
    if (argc < 2) {
        complain("no command is given");
        const std::string help = app.help();
        std::fwrite(help.data(), 1, help.size(), stderr);
        return exit_error;
    }
    if (const std::string mistake = mistaken_command(app, argv[1]); !mistake.empty())
        return usage_error("", mistake);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &e) {
        return answer_parser(app, e, program);
    }
    return program.run();
}

} // namespace
} // namespace iscsiscope::cli

int main(int argc, char **argv) {
    using namespace iscsiscope::cli;
    keep_standard_streams();
    // Writing to a closed pipe, or beyond the size that a file may have (ulimit -f), gives an error with a
    // message instead of ending the program by a signal.
    for (const int number : {SIGPIPE, SIGXFSZ})
        std::signal(number, SIG_IGN);
    return iscsiscope::guarded("iscsiscope", exit_error, [&] { return run(argc, argv); });
}
