// SPDX-License-Identifier: GPL-2.0-or-later
// The row commands pdus, cycles, bursts, gaps, ledger, connections and tcp: one implementation over seven
// tables.
#include "analyzer/base/glossary/glossary.h"
#include "analyzer/cli/arguments/format_option.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"
#include "analyzer/cli/progress_line.h"
#include "analyzer/query/row_sink.h"
#include "analyzer/report/text/text_page.h"
#include "analyzer/words/capture/merge_words.h"
#include "analyzer/words/capture/unread_words.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace iscsiscope::cli {
namespace {

struct RowCommand {
    const char *name;
    const char *what;
    const char *more;
};

constexpr RowCommand commands[] = {
    {"pdus", "One row per PDU",
     "Examples:\n"
     "  iscsiscope pdus trace.pcapng.zst --columns frame,opcode_name,itt,data_length\n"
     "  iscsiscope pdus trace.pcap --filter 'desired_length > 64KiB'\n"
     "  iscsiscope pdus trace.pcap --filter 'data_digest == \"bad\"'\n"
     "  tcpdump -i eth0 -U -w - tcp port 3260 | iscsiscope pdus - --format jsonl\n"
     "\n"
     "In the order of delivery. --range goes by the PDU's first byte."},
    {"cycles", "One row per task: command, phases, status",
     "Examples:\n"
     "  iscsiscope cycles trace.pcap --filter 'type == \"write\" and r2t_wait > 5ms'\n"
     "  iscsiscope cycles trace.pcapng --filter 'outcome != \"good\"' --format jsonl\n"
     "  iscsiscope cycles trace.pcapng --range 10..20 -o cycles.csv\n"
     "\n"
     "As they become final, which is not quite the order of their numbers. --range goes by the end."},
    {"bursts", "One row per R2T burst",
     "Examples:\n"
     "  iscsiscope bursts trace.pcapng --filter 'burst_response > 1ms'\n"
     "  iscsiscope bursts trace.pcapng --columns cycle,burst,desired_bytes,r2t_wait_ns\n"
     "\n"
     "Burst 0 is the unsolicited data of a write. --range goes by the end."},
    {"gaps", "One row per idle gap, with its cause",
     "Examples:\n"
     "  iscsiscope gaps trace.pcapng --filter 'kind == \"target_r2t\" and length > 10ms'\n"
     "  iscsiscope gaps trace.pcapng --gap-threshold 1ms --format jsonl\n"
     "\n"
     "--range lists the gaps that overlap it, whole."},
    {"ledger", "One row per part of busy time: whose it is, and why",
     "Examples:\n"
     "  iscsiscope ledger trace.pcapng --filter 'owner == \"target\" and length > 10ms'\n"
     "  iscsiscope ledger trace.pcapng --columns lun,type,owner,cause,length_ns\n"
     "\n"
     "The entries of a connection add up to its busy time. --range lists the entries that overlap it, "
     "whole."},
    {"connections", "One row per TCP connection that carries iSCSI",
     "Examples:\n"
     "  iscsiscope connections trace.pcapng\n"
     "  iscsiscope connections trace.pcapng --filter 'outcome == \"reset\"' \\\n"
     "      --columns stream,initiator_address,target_name,tasks\n"
     "\n"
     "As they end. --range lists the connections that overlap it, whole."},
    {"tcp", "One row per new data segment: flight, congestion window, limit",
     "Examples:\n"
     "  iscsiscope tcp trace.pcapng --columns time_ns,flight_bytes,cwnd_bytes\n"
     "  iscsiscope tcp trace.pcapng --filter 'state == \"recovery\"'\n"
     "\n"
     "The state of the sender, wherever the capture was taken: flight excludes what the sender knew to be "
     "acknowledged when it sent, by the timestamps echoed to it (anchor names the method). cwnd is given "
     "only where it was seen to limit the sender; else only its bounds are given."},
};

struct RowOptions : CommonOptions {
    std::vector<std::string> files;
    std::string format = "csv", columns;
};

// Writes remarks on the capture to standard error.
void remark(const CaptureSummary &s, const UnpackBounds &bounds) {
    remark_if_possible([&] { return capture_remark(s, bounds); });
    for (const std::string &words : merge_remarks(s))
        remark_if_possible([&] { return words; });
    if (s.coverage.connections == 0)
        remark_if_possible([&] {
            const std::string other = unread_summary(s);
            if (!other.empty())
                return fmt::format("{}: no iSCSI that can be read, but {}; `iscsiscope report` explains it",
                                   s.path, other);
            return fmt::format("{}: no iSCSI found; `iscsiscope report` shows what is in it", s.path);
        });
}

// Each column with its meaning, from the glossary.
std::string columns_help(const Table &table) {
    TextStyle style;
    style.width = terminal_width("-");
    TextPage page(style);
    page.line("Columns:", 0);
    for (const Column &column : table.columns) {
        page.line(column.name, 2);
        page.line(meaning_of(fmt::format("{}.{}", table.name, column.name)), 6);
    }
    return page.finish();
}

int run_rows(const Table &table, const RowOptions &o, Program &program) {
    if (const std::string mistake = mistake_in_files(o, o.files); !mistake.empty())
        return usage_error(table.name, mistake);
    if (o.files.size() > 1 && !o.one_capture()) {
        return usage_error(
            table.name, "rows are of one capture: several files are read as one with --join (the parts of a "
                        "ring buffer) or --merge (one file a direction or path)");
    }
    auto understood = understand(o);
    if (!understood.ok())
        return usage_error(table.name, understood.failure().message);
    auto &settings = understood.value();
    auto columns = choose_columns(table, o.columns);
    if (!columns.ok())
        return usage_error(table.name, "--columns: " + columns.failure().message);
    std::optional<Expression> filter;
    if (!o.filter.empty()) {
        auto compiled = Expression::compile(o.filter, ColumnNames(table));
        if (!compiled.ok())
            return usage_error(table.name, "--filter: " + compiled.failure().show(o.filter));
        filter = std::move(compiled.value());
    }
    if (const std::string mistake = overwritten_input(o.output, o.files); !mistake.empty())
        return usage_error(table.name, mistake);
    OutputFile out(o.output, program.unfinished);
    if (!out.ok()) {
        complain(out.error());
        return exit_error;
    }
    RowWriter writer(*format_of(o.format).rows, std::move(columns.value()), out);
    const auto sink = make_row_sink(table, {&settings.range, filter ? &*filter : nullptr}, writer);

    const bool own_terminal = !is_terminal(STDOUT_FILENO) || o.output != "-";
    std::optional<ProgressLine> line(std::in_place,
                                     is_terminal(STDERR_FILENO) && own_terminal && !o.quiet && !o.no_progress,
                                     total_size(o.files), 1);
    // Reading ends if the reader of standard output has closed it (| head).
    std::optional<FileProgress> progress(std::in_place, *line, [&] { return out.ok(); });
    ReadOptions options{settings.engine, &settings.range, &*progress, settings.unpack, settings.threads};
    writer.header();
    auto result = read_files(o.files, settings.files_are, *sink, options);
    progress.reset();
    line.reset();
    if (!result.ok()) {
        complain(result.failure().message);
        return exit_error;
    }
    writer.flush();
    if (const int code = commit(out); code != exit_done || out.reader_gone())
        return code;
    const auto &summary = result.value();
    if (!o.quiet)
        remark(summary, settings.unpack);
    return o.strict && !summary.info.complete ? exit_condition : exit_done;
}

} // namespace

void add_row_commands(CLI::App &app, Program &program) {
    for (const RowCommand &c : commands) {
        const Table *table = find_table(c.name);
        auto options = std::make_shared<RowOptions>();
        CLI::App *sub = app.add_subcommand(c.name, c.what);
        sub->add_option("FILE", options->files,
                        "Capture: pcap or pcapng, plain, .gz or .zst; - is standard input")
            ->required();
        add_format_option(*sub, options->format, formats_with(&Format::rows));
        sub->add_option("--columns", options->columns, "Only these columns, in this order")
            ->type_name("A,B,C");
        sub->add_option("--filter", options->filter, "Only rows for which this holds")->type_name("EXPR");
        add_union_options(*sub, *options);
        add_common_options(*sub, *options);
        sub->footer([table, more = c.more] { return std::string(more) + "\n\n" + columns_help(*table); });
        sub->callback([table, options, &program] {
            program.run = [table, options, &program] { return run_rows(*table, *options, program); };
        });
    }
}

} // namespace iscsiscope::cli
