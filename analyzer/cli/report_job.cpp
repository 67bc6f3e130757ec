// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/report_job.h"

#include "analyzer/cli/file_hash.h"
#include "analyzer/cli/progress_line.h"
#include "analyzer/report/collector.h"
#include "analyzer/report/csv_report.h"
#include "analyzer/report/sink_fan.h"
#include "analyzer/report/json_report.h"
#include "analyzer/report/report_names.h"
#include "analyzer/report/text_report.h"

#include <algorithm>
#include <atomic>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <langinfo.h>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace iscsiscope::cli {
namespace {

struct FileResult {
    std::string text;                    // of the report; empty: none, or written elsewhere
    std::vector<std::string> complaints; // for standard error
    int code = exit_done;
    bool done = false;
};

// Everything that is the same for all files.
struct Plan {
    const ReportOptions &options;
    CommonSettings settings;
    std::optional<Expression> filter;
    std::vector<double> quantiles;
    TextStyle style;
    Program &program;
    ProgressLine &line;
};

TextStyle terminal_style(const ReportOptions &o) {
    TextStyle style;
    const bool terminal = o.output == "-" && is_terminal(STDOUT_FILENO);
    const char *no_color = std::getenv("NO_COLOR"); // https://no-color.org: present and not empty
    const char *term = std::getenv("TERM");
    style.color = terminal && (no_color == nullptr || *no_color == '\0') &&
                  (term == nullptr || std::strcmp(term, "dumb") != 0);
    if (terminal) {
        std::setlocale(LC_CTYPE, "");
        style.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    }
    if (!o.quantiles.empty()) {
        style.quantiles = o.quantiles;
    }
    return style;
}

// tables/a.pcap for the second of several files; a repeated name gets a number.
std::string csv_folder(const ReportOptions &o, std::size_t file) {
    if (o.files.size() == 1) {
        return o.output;
    }
    const auto base = [](const std::string &path) { return path.substr(path.rfind('/') + 1); };
    const std::string name = base(o.files[file]);
    std::size_t same = 0;
    for (std::size_t i = 0; i < file; ++i) {
        same += base(o.files[i]) == name ? 1 : 0;
    }
    return fmt::format("{}/{}{}", o.output, name, same == 0 ? "" : fmt::format(".{}", same + 1));
}

void check_fail_on(const Plan &plan, const Report &report, FileResult &result) {
    if (plan.options.fail_on.empty()) {
        return;
    }
    const auto compiled = Expression::compile(plan.options.fail_on, ReportNames(report));
    const auto *condition = std::get_if<Expression>(&compiled); // it was checked before
    if (condition != nullptr && condition->holds(nullptr)) {
        result.complaints.push_back(
            fmt::format("{}: the --fail-on condition holds: {}", report.capture.path, plan.options.fail_on));
        result.code = std::max(result.code, exit_condition);
    }
}

void remark(const Plan &plan, const CaptureSummary &summary, FileResult &result) {
    if (summary.info.complete) {
        return;
    }
    if (plan.options.strict) {
        result.code = std::max(result.code, exit_condition);
    }
    if (!plan.options.quiet) {
        result.complaints.push_back(
            fmt::format("{}: cut short or damaged; read as far as it goes ({} frames)", summary.path,
                        summary.info.frames));
    }
}

FileResult report_file(const Plan &plan, std::size_t file) {
    FileResult result;
    const auto fail = [&](std::string message) {
        result.complaints.push_back(std::move(message));
        result.code = exit_error;
        return std::move(result);
    };
    const std::string &path = plan.options.files[file];
    TimeRange range = plan.settings.range;
    const Expression *filter = plan.filter ? &*plan.filter : nullptr;
    Collector collector({&range, filter, 1024});
    std::optional<CsvReport> csv;
    std::vector<RecordSink *> sinks = {&collector};
    if (plan.options.format == "csv") {
        csv.emplace(csv_folder(plan.options, file), RowSelection{&range, filter}, plan.program.unfinished);
        if (!csv->ok()) {
            return fail(csv->error());
        }
        for (RecordSink *s : csv->sinks()) {
            sinks.push_back(s);
        }
    }
    SinkFan fan(sinks);
    RecordSink &sink = csv ? static_cast<RecordSink &>(fan) : collector;
    std::variant<CaptureSummary, std::string> read;
    {
        FileProgress progress(plan.line, [&] { return !csv || csv->ok(); });
        read = read_capture(path, sink, {plan.settings.engine, &range, &progress});
    }
    if (auto *error = std::get_if<std::string>(&read)) {
        return fail(std::move(*error));
    }
    Report report = collector.take(std::get<CaptureSummary>(std::move(read)));
    report.range = range;
    report.filter = plan.options.filter;
    if (plan.options.hash) {
        auto hash = file_sha256(path);
        if (auto *error = std::get_if<HashError>(&hash)) {
            return fail(std::move(error->message));
        }
        report.sha256 = std::get<std::string>(std::move(hash));
    }
    if (csv) {
        if (!csv->finish(report, plan.quantiles)) {
            return fail(csv->error());
        }
    } else if (plan.options.format == "json") {
        result.text = json_report(report, plan.quantiles, ISCSISCOPE_VERSION);
    } else {
        result.text = text_report(report, plan.style);
    }
    remark(plan, report.capture, result);
    check_fail_on(plan, report, result);
    return result;
}

// Reports in the order of the files, whichever is ready first.
class OrderedOutput {
public:
    OrderedOutput(const ReportOptions &o, OutputFile *out)
        : options_(o), out_(out), results_(o.files.size()) {}

    void add(std::size_t file, FileResult result) {
        const std::lock_guard lock(mutex_);
        results_[file] = std::move(result);
        results_[file].done = true;
        while (next_ < results_.size() && results_[next_].done) {
            put(results_[next_]);
            results_[next_].text = {};
            ++next_;
        }
    }

    int finish() {
        if (out_ != nullptr && options_.format == "json" && options_.files.size() > 1) {
            out_->write(any_ ? "]\n" : "[]\n");
        }
        int code = exit_done;
        for (const FileResult &r : results_) {
            code = std::max(code, r.code);
        }
        return code;
    }

private:
    void put(const FileResult &r) {
        for (const std::string &c : r.complaints) {
            complain(c);
        }
        if (out_ == nullptr || r.text.empty()) {
            return;
        }
        const bool several = options_.files.size() > 1;
        if (several && options_.format == "json") {
            out_->write(any_ ? ",\n" : "[\n");
        } else if (any_) {
            out_->write("\n" + std::string(72, '=') + "\n\n");
        }
        out_->write(r.text);
        any_ = true;
    }

    const ReportOptions &options_;
    OutputFile *out_;
    std::mutex mutex_;
    std::vector<FileResult> results_;
    std::size_t next_ = 0;
    bool any_ = false;
};

// What can be seen to be wrong before anything is read; empty: nothing.
std::string mistake_in(const ReportOptions &o) {
    if (o.format == "html" || o.format == "sqlite") {
        return fmt::format("--format {}: this version writes text, json and csv", o.format);
    }
    if (o.format != "text" && o.format != "json" && o.format != "csv") {
        return fmt::format("--format: '{}' is not one of text, json, csv", o.format);
    }
    if (o.format == "csv" && (o.output.empty() || o.output == "-")) {
        return "--format csv writes a folder of tables: name it with -o FOLDER";
    }
    const auto inputs = std::count(o.files.begin(), o.files.end(), "-");
    if (inputs > 1) {
        return "standard input (-) can be read once only";
    }
    if (inputs == 1 && o.hash) {
        return "--hash needs a file: standard input cannot be read twice";
    }
    if (!o.fail_on.empty()) {
        const auto compiled = Expression::compile(o.fail_on, ReportNames(Report{}));
        if (const auto *m = std::get_if<ExpressionMistake>(&compiled)) {
            return "--fail-on: " + m->show(o.fail_on);
        }
    }
    return {};
}

} // namespace

int run_report(const ReportOptions &o, Program &program) {
    if (const std::string mistake = mistake_in(o); !mistake.empty()) {
        return usage_error("report", mistake);
    }
    auto understood = understand(o);
    if (const auto *mistake = std::get_if<std::string>(&understood)) {
        return usage_error("report", *mistake);
    }
    std::optional<Expression> filter;
    if (!o.filter.empty()) {
        auto compiled = Expression::compile(o.filter, ColumnNames(cycle_table()));
        if (const auto *mistake = std::get_if<ExpressionMistake>(&compiled)) {
            return usage_error("report", "--filter: " + mistake->show(o.filter));
        }
        filter = std::get<Expression>(std::move(compiled));
    }
    std::optional<OutputFile> out;
    if (o.format != "csv") {
        out.emplace(o.output, program.unfinished);
        if (!out->ok()) {
            complain(out->error());
            return exit_error;
        }
    } else if (o.files.size() > 1) {
        // The folder above the files' own; CsvReport makes those.
        ::mkdir(o.output.c_str(), 0777);
    }
    const bool shown = is_terminal(STDERR_FILENO) && !o.quiet && !o.no_progress;
    std::optional<ProgressLine> line(std::in_place, shown, total_size(o.files), o.files.size());
    const std::vector<double> quantiles =
        o.quantiles.empty() ? std::vector{0.5, 0.9, 0.99, 0.999} : o.quantiles;
    const Plan plan{o,
                    std::get<CommonSettings>(std::move(understood)),
                    std::move(filter),
                    quantiles,
                    terminal_style(o),
                    program,
                    *line};
    OrderedOutput ordered(o, out ? &*out : nullptr);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < o.files.size(); i = next++) {
            ordered.add(i, report_file(plan, i));
        }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(static_cast<std::size_t>(o.jobs), o.files.size()); ++i) {
        others.emplace_back(work);
    }
    work();
    for (std::thread &t : others) {
        t.join();
    }
    line.reset();
    int code = ordered.finish();
    if (out && code == exit_error && o.files.size() == 1) {
        return code; // nothing to show: an older output file stays as it was
    }
    if (out && !out->commit()) {
        complain(out->error());
        code = exit_error;
    }
    return code;
}

} // namespace iscsiscope::cli
