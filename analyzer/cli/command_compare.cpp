// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/arguments/format_option.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"
#include "analyzer/cli/progress_line.h"
#include "analyzer/cli/report_job.h"
#include "analyzer/figures/read_report.h"
#include "analyzer/pipeline/anonymizer.h"
#include "analyzer/query/column.h"
#include "analyzer/query/expression.h"
#include "analyzer/words/compare/ends_words.h"

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <thread>
#include <unistd.h>

namespace iscsiscope::cli {
namespace {

struct CompareOptions : CommonOptions {
    std::string before, after, format = "text";
    std::vector<double> quantiles;
    bool ends = false, same_clock = false, anonymize = false;
};

int run_compare(const CompareOptions &o, Program &program) {
    auto understood = understand(o, true);
    if (!understood.ok())
        return usage_error("compare", understood.failure().message);
    if (o.before == "-" && o.after == "-")
        return usage_error("compare", "standard input (-) can be read once only");
    const auto &settings = understood.value();
    std::optional<Expression> filter;
    if (!o.filter.empty()) {
        auto compiled = Expression::compile(o.filter, ColumnNames(cycle_table()));
        if (!compiled.ok())
            return usage_error("compare", "--filter: " + compiled.failure().show(o.filter));
        filter = std::move(compiled.value());
    }
    if (const std::string mistake = overwritten_input(o.output, {o.before, o.after}); !mistake.empty())
        return usage_error("compare", mistake);
    OutputFile out(o.output, program.unfinished);
    if (!out.ok()) {
        complain(out.error());
        return exit_error;
    }
    const bool shown = is_terminal(STDERR_FILENO) && !o.quiet && !o.no_progress;
    std::optional<ProgressLine> line(std::in_place, shown, total_size({o.before, o.after}), 2);
    std::array<PairSink, 2> pair;
    std::array<Result<Report>, 2> read = {Report{}, Report{}};
    Anonymizer names;
    const auto read_one = [&](std::size_t i) {
        FileProgress progress(*line);
        ReportRequest request;
        request.files = {i == 0 ? o.before : o.after};
        request.engine = settings.engine;
        request.range = settings.range;
        request.filter = filter ? &*filter : nullptr;
        request.filter_text = o.filter;
        request.interval = settings.interval;
        request.unpack = settings.unpack;
        request.threads = settings.threads;
        request.observer = &progress;
        request.anonymizer = o.anonymize ? &names : nullptr;
        request.number = i + 1;
        if (o.ends)
            request.more = {&pair[i]};
        read[i] = read_report(request);
    };
    std::array<std::exception_ptr, 2> failures;
    const auto read_guarded = [&](std::size_t i) { // an exception must not leave the thread
        try {
            read_one(i);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    {
        const std::jthread other([&] { read_guarded(1); });
        read_guarded(0);
    }
    line.reset();
    for (std::size_t i = 0; i < failures.size(); ++i)
        try {
            if (failures[i])
                std::rethrow_exception(failures[i]);
        } catch (...) {
            complain(failure_sentence("the report of " + (i == 0 ? o.before : o.after)));
            return exit_error;
        }
    std::vector<std::string> remarks;
    bool incomplete = false;
    for (auto &r : read) {
        if (!r.ok()) {
            complain(r.failure().message);
            return exit_error;
        }
        const CaptureSummary &c = r.value().capture;
        incomplete = incomplete || !c.info.complete;
        if (std::string words = capture_remark(c.path, c.info, settings.unpack); !words.empty())
            remarks.push_back(std::move(words));
    }
    auto &a = read[0].value(), &b = read[1].value();
    const TextStyle style = terminal_style(o.output, o.quantiles);
    const Format &format = format_of(o.format);
    std::string warning;
    if (o.ends) {
        const Ends e = match_ends(std::move(a), pair[0], std::move(b), pair[1], o.same_clock);
        warning = same_clock_warning(e.pair);
        out.write(format.ends(e, style));
    } else {
        const std::vector<double> quantiles = o.quantiles.empty() ? std::vector{0.5, 0.9, 0.99} : o.quantiles;
        const Comparison c = compare(a, b, quantiles);
        out.write(format.comparison(c, style));
    }
    if (const int code = commit(out); code != exit_done)
        return code;
    const bool silent = o.quiet || out.reader_gone();
    if (!warning.empty() && !silent)
        complain(warning);
    for (const std::string &r : remarks)
        if (!silent)
            complain(r);
    return o.strict && incomplete ? exit_condition : exit_done;
}

} // namespace

void add_compare_command(CLI::App &app, Program &program) {
    auto o = std::make_shared<CompareOptions>();
    CLI::App *sub = app.add_subcommand("compare", "Two captures side by side: what differs, and by how much");
    sub->add_option("BEFORE", o->before, "The first capture")->required();
    sub->add_option("AFTER", o->after, "The second one")->required();
    CLI::Option *ends = sub->add_flag("--ends", o->ends,
                                      "They are the two ends of one run: clocks, one-way delays, losses and "
                                      "damage between them");
    sub->add_flag(
           "--same-clock", o->same_clock,
           "With --ends: one clock stamped both captures (one host, or PTP); one-way delays are absolute")
        ->needs(ends);
    add_format_option(*sub, o->format, formats_with(&Format::comparison));
    add_quantiles_option(*sub, o->quantiles);
    sub->add_option("--filter", o->filter, "Only tasks for which this holds (columns of `cycles`)")
        ->type_name("EXPR");
    sub->add_flag("--anonymize", o->anonymize, "Replace names and addresses");
    add_common_options(*sub, *o);
    sub->footer(
        "Examples:\n"
        "  iscsiscope compare monday.pcap tuesday.pcap\n"
        "  iscsiscope compare a.pcap b.pcap --filter 'type == \"write\"' --format json\n"
        "  iscsiscope compare host.pcap array.pcap --ends\n"
        "  iscsiscope compare host.pcap array.pcap --ends --same-clock\n"
        "\n"
        "--ends matches connections and segments of the two captures whatever their clocks say, and "
        "compares the payload of what both hold. If the time stamps contradict --same-clock, a warning "
        "says by how much, and the offset of the clocks is measured as without it.");
    sub->callback([o, &program] { program.run = [o, &program] { return run_compare(*o, program); }; });
}

} // namespace iscsiscope::cli
