// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/end_by_signal.h"
#include "analyzer/cli/program.h"

#include <CLI/CLI.hpp>
#include <csignal>

int main(int argc, char **argv) {
    using namespace iscsiscope::cli;
    // Writing to a closed pipe gives an error with a message instead of ending the program by a signal.
    std::signal(SIGPIPE, SIG_IGN);
    Program program;
    const EndBySignal end_by_signal(program.unfinished);

    CLI::App app("Where the time of iSCSI Read and Write cycles goes, from a packet capture");
    app.name("iscsiscope");
    app.set_version_flag("--version", "iscsiscope " ISCSISCOPE_VERSION);
    app.require_subcommand(1);
    app.footer("Examples:\n"
               "  iscsiscope report trace.pcapng.zst\n"
               "  iscsiscope report trace.pcapng --format html -o trace.html\n"
               "  iscsiscope compare before.pcap after.pcap\n"
               "  iscsiscope predict trace.pcap --set MaxBurstLength=1MiB\n"
               "  iscsiscope cycles trace.pcapng --filter 'response_time > 20ms'\n"
               "  tcpdump -i eth0 -w - tcp port 3260 | iscsiscope report -\n"
               "\n"
               "Exit code: 0 done; 1 a --fail-on condition holds (or --strict and the capture is damaged);\n"
               "2 usage error, unreadable input or output that cannot be written.");
    add_report_command(app, program);
    add_row_commands(app, program);
    add_compare_command(app, program);
    add_predict_command(app, program);
    add_explain_command(app, program);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &e) {
        return app.exit(e) == 0 ? exit_done : exit_error;
    }
    return program.run();
}
