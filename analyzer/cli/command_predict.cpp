// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/arguments/format_option.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"
#include "analyzer/cli/progress_line.h"
#include "analyzer/cli/report_job.h"
#include "analyzer/figures/read_report.h"
#include "analyzer/model/parse_change.h"
#include "analyzer/pipeline/anonymizer.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace iscsiscope::cli {
namespace {

struct PredictOptions : CommonOptions {
    std::string file, format = "text";
    std::vector<std::string> set;
    bool anonymize = false;
};

int run_predict(const PredictOptions &o, Program &program) {
    auto understood = understand(o);
    if (!understood.ok())
        return usage_error("predict", understood.failure().message);
    const auto &settings = understood.value();
    std::vector<Change> changes;
    for (const std::string &s : o.set) {
        auto change = parse_change(s);
        if (!change.ok())
            return usage_error("predict", "--set: " + change.failure().message);
        changes.push_back(change.value());
    }
    if (const std::string mistake = overwritten_input(o.output, {o.file}); !mistake.empty())
        return usage_error("predict", mistake);
    OutputFile out(o.output, program.unfinished);
    if (!out.ok()) {
        complain(out.error());
        return exit_error;
    }
    const bool shown = is_terminal(STDERR_FILENO) && !o.quiet && !o.no_progress;
    std::optional<ProgressLine> line(std::in_place, shown, total_size({o.file}), 1);
    std::optional<FileProgress> progress(std::in_place, *line);
    Anonymizer names;
    ReportRequest request;
    request.files = {o.file};
    request.engine = settings.engine;
    request.range = settings.range;
    request.observer = &*progress;
    request.unpack = settings.unpack;
    request.threads = settings.threads;
    request.anonymizer = o.anonymize ? &names : nullptr;
    auto read = read_report(request);
    progress.reset();
    line.reset();
    if (!read.ok()) {
        complain(read.failure().message);
        return exit_error;
    }
    const Report &report = read.value();
    std::vector<PredictionRow> rows;
    for (const ModelRow &m : report.models)
        rows.push_back({m, changes, predict(m.input, changes)});
    out.write(format_of(o.format).predictions({report, rows}, terminal_style(o.output, {})));
    if (const int code = commit(out); code != exit_done)
        return code;
    if (!o.quiet && !out.reader_gone())
        remark_if_possible(
            [&] { return capture_remark(report.capture.path, report.capture.info, settings.unpack); });
    return o.strict && !report.capture.info.complete ? exit_condition : exit_done;
}

} // namespace

void add_predict_command(CLI::App &app, Program &program) {
    auto o = std::make_shared<PredictOptions>();
    CLI::App *sub = app.add_subcommand("predict", "What other settings would give, and which setting limits");
    sub->add_option("FILE", o->file, "Capture of the settings as they are")->required();
    sub->add_option("--set", o->set, "A setting to change, KEY=VALUE; may be given several times")
        ->type_name("KEY=VALUE");
    add_format_option(*sub, o->format, formats_with(&Format::predictions));
    sub->add_flag("--anonymize", o->anonymize, "Do not name the file");
    add_common_options(*sub, *o);
    std::string keys;
    for (const std::string_view example : change_examples()) {
        keys += keys.empty() ? "" : ", ";
        keys += example;
    }
    sub->footer("Examples:\n"
                "  iscsiscope predict trace.pcap\n"
                "  iscsiscope predict trace.pcap \\\n"
                "      --set MaxBurstLength=1MiB --set MaxOutstandingR2T=4\n"
                "  iscsiscope predict trace.pcap --set depth=32 --format json\n"
                "  iscsiscope predict trace.pcap --set delay=5ms --set loss=0.1%\n"
                "\n"
                "Keys, each with a value it takes (delay is one way, window that of TCP):\n  " +
                keys);
    sub->callback([o, &program] { program.run = [o, &program] { return run_predict(*o, program); }; });
}

} // namespace iscsiscope::cli
