// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/program.h"
#include "analyzer/cli/report_job.h"
#include "analyzer/report/formats/format.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace iscsiscope::cli {
namespace {

// "text, json, html (one page)": the formats of reports.
std::string format_words() {
    std::string words;
    for (const Format *f : formats_with(&Format::reports)) {
        words += fmt::format("{}{}", words.empty() ? "" : ", ", f->name);
        if (const std::string_view help = f->reports->help(); !help.empty())
            words += fmt::format(" ({})", help);
    }
    return words;
}

} // namespace

void add_report_command(CLI::App &app, Program &program) {
    auto o = std::make_shared<ReportOptions>();
    CLI::App *sub = app.add_subcommand("report", "The whole picture of one or more captures");
    sub->add_option("FILE", o->files, "Captures: pcap or pcapng, plain, .gz or .zst; - is standard input")
        ->required();
    sub->add_option("--format", o->format, format_words())->type_name("FORMAT")->capture_default_str();
    CLI::Option *brief = sub->add_flag("--brief", o->brief, "Verdict, headline numbers and findings only");
    sub->add_flag("--all", o->all, "Every section and every finding, also what is small, equal or empty")
        ->excludes(brief);
    add_quantiles_option(*sub, o->quantiles);
    sub->add_option("--filter", o->filter,
                    "Only tasks for which this holds (columns of `cycles`), with their time and findings")
        ->type_name("EXPR");
    sub->add_option("--fail-on", o->fail_on, "Exit code 1 if this holds of a report")->type_name("EXPR");
    sub->add_option("--jobs", o->jobs, "Read so many captures at once, 1 to 256")
        ->type_name("N")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    add_union_options(*sub, *o);
    sub->add_flag(
        "--anonymize", o->anonymize,
        "Replace names, addresses, serial numbers and file names, the same for the same everywhere");
    sub->add_option("--interval", o->interval, "Interval of the throughput's deviation between connections")
        ->type_name("TIME")
        ->default_str("5s");
    sub->add_flag("--hash", o->hash, "Put the file's SHA-256 into the report");
    add_common_options(*sub, *o);
    sub->footer(
        "The report begins with its verdict; --brief ends it after the findings. --brief and --all apply to "
        "the text report: HTML and JSON hold everything.\n"
        "\n"
        "Examples:\n"
        "  iscsiscope report trace.pcapng.zst\n"
        "  iscsiscope report trace.pcapng.zst --all | less\n"
        "  iscsiscope report trace.pcap --range 10..20 --gap-threshold 1ms\n"
        "  iscsiscope report trace.pcap --format html -o trace.html\n"
        "  iscsiscope report trace.pcap --format html --anonymize -o for-the-vendor.html\n"
        "  iscsiscope report ring_*.pcap --join --format sqlite -o ring.db\n"
        "  iscsiscope report --merge tx.pcap rx.pcap\n"
        "  tcpdump -i eth0 -w - tcp port 3260 | iscsiscope report -\n"
        "  iscsiscope report *.pcap --jobs 4 --format html -o reports/\n"
        "  iscsiscope report *.pcap --jobs 4 --format json -o reports.json\n"
        "  iscsiscope report trace.pcap --format csv -o tables\n"
        "  iscsiscope report nightly.pcap --quiet --fail-on \\\n"
        "      'read.response_time.p99 > 5ms or outcome.aborted > 0'\n"
        "\n"
        "Ctrl-C ends a capture that comes from a pipe, and the report of what was read follows; a second one "
        "ends the program at once.\n"
        "\n"
        "Names for --fail-on:\n"
        "  TYPE.count .bytes .throughput .iops .average_throughput .average_iops .data_time .not_good "
        ".incomplete, rates and data_time also without TYPE;\n"
        "  TYPE.TIME.p50 (any quantile) .min .mean .max .sum with TYPE read, write, control and TIME "
        "response_time, cycle_time, first_data_wait, r2t_wait ... (columns of `cycles`);\n"
        "  gap.KIND.count .time .share .p99 .max; transfer.share; idle.share; outcome.NAME; anomaly.NAME; "
        "anomalies; tasks; pdus; sessions; connections; failed_logins; cut; unseen\n"
        "\n"
        "Several files with --format json give an array. Where -o is a folder (an existing one, or with / "
        "at its end; always with html, sqlite and csv) each capture gets a file or sub-folder there, and "
        "index.html sums them up.");
    sub->callback([o, &program] { program.run = [o, &program] { return run_report(*o, program); }; });
}

} // namespace iscsiscope::cli
