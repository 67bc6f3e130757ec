// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/report_file.h"

#include "analyzer/cli/files/file_hash.h"
#include "analyzer/cli/files/output_names.h"
#include "analyzer/figures/read_report.h"
#include "analyzer/figures/report_names.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace iscsiscope::cli {
namespace {

std::string place(const ReportPlan &plan, std::size_t capture) {
    const ReportOptions &o = plan.options;
    if (!plan.into_folder)
        return o.output;
    const std::string folder = o.output.substr(0, o.output.find_last_not_of('/') + 1);
    return fmt::format("{}/{}", folder, plan.names[capture]);
}

// Returns a sentence if the report would replace one of the captures.
std::string replaced_input(const std::string &where, const ReportPlan &plan) {
    const ReportOptions &o = plan.options;
    if (std::string mistake = overwritten_input(where, o.files); !mistake.empty())
        return mistake;
    std::error_code error;
    if (plan.format.extension().empty())
        for (std::filesystem::directory_iterator i(where, error), end; !error && i != end; i.increment(error))
            if (std::string mistake = overwritten_input(i->path().string(), o.files); !mistake.empty())
                return mistake;
    return {};
}

void check_fail_on(const ReportPlan &plan, const std::string &path, const Report &report,
                   FileResult &result) {
    if (plan.options.fail_on.empty())
        return;
    const auto compiled = Expression::compile(plan.options.fail_on, ReportNames(report));
    const auto *condition = compiled.ok() ? &compiled.value() : nullptr; // it was checked before
    if (condition != nullptr && condition->holds(nullptr)) {
        result.complaints.push_back(
            fmt::format("{}: the --fail-on condition holds: {}", path, plan.options.fail_on));
        result.code = std::max(result.code, exit_condition);
        result.entry.condition = true;
    }
}

void remark(const ReportPlan &plan, const CaptureSummary &summary, FileResult &result) {
    if (!summary.info.complete && plan.options.strict)
        result.code = std::max(result.code, exit_condition);
    if (plan.options.quiet || (summary.info.complete && !summary.info.ended))
        return;
    std::string words = capture_remark(summary, plan.settings.unpack);
    if (!words.empty())
        result.complaints.push_back(std::move(words));
}

// For a catch block: the result of a capture whose report ended by the exception in flight.
FileResult failed_capture(const ReportPlan &plan, std::size_t capture) {
    FileResult result;
    const std::string &path = plan.captures[capture].front();
    result.entry.file = plan.anonymizer != nullptr ? anonymous_name(capture) : base_name(path);
    result.complaints.push_back(failure_sentence("the report of " + path));
    result.entry.problem =
        plan.anonymizer != nullptr ? "could not be read or written" : result.complaints.back();
    result.code = exit_error;
    return result;
}

FileResult read_and_write(const ReportPlan &plan, std::size_t capture) {
    FileResult result;
    const ReportOptions &o = plan.options;
    const std::vector<std::string> &files = plan.captures[capture];
    const std::string &path = files.front(), where = place(plan, capture);
    result.entry.file = plan.anonymizer != nullptr ? anonymous_name(capture) : base_name(path);
    const auto fail = [&](std::string message) {
        FileResult failed;
        failed.entry.file = result.entry.file;
        failed.entry.problem = plan.anonymizer != nullptr ? "could not be read or written" : message;
        failed.complaints.push_back(std::move(message));
        failed.code = exit_error;
        return failed;
    };
    if (std::string mistake = replaced_input(where, plan); !mistake.empty())
        return fail(std::move(mistake));
    if (o.hash)
        if (std::string mistake = not_hashable(path); !mistake.empty())
            return fail(std::move(mistake)); // before a pipe is read, which can be done once only
    ReportRequest request;
    request.files = files;
    request.files_are = plan.settings.files_are;
    request.engine = plan.settings.engine;
    request.range = plan.settings.range;
    request.filter = plan.filter ? &*plan.filter : nullptr;
    request.filter_text = o.filter;
    request.interval = plan.settings.interval;
    request.unpack = plan.settings.unpack;
    request.threads = plan.settings.threads;
    request.charts = plan.format.shows_charts();
    request.anonymizer = plan.anonymizer;
    request.number = capture + 1;
    const RowSelection selection{&request.range, request.filter};
    std::unique_ptr<ReportWriter> own; // null: the report goes to the output of all captures
    if (plan.output == nullptr) {
        own = plan.format.begin(where, selection, plan.program.unfinished);
        request.more = own->sinks();
    }
    const auto written = [&] { return own ? own->error() : std::string(); };
    if (const std::string error = written(); !error.empty())
        return fail(error);
    Result<Report> read = [&] {
        FileProgress progress(plan.line, [&] { return written().empty() && still_wanted(plan); });
        request.observer = &progress;
        return read_report(request);
    }();
    if (!read.ok())
        return fail(std::move(read.failure().message));
    Report &report = read.value();
    if (o.hash && plan.anonymizer == nullptr) {
        auto hash = file_sha256(path);
        if (!hash.ok())
            return fail(std::move(hash.failure().message));
        report.sha256 = std::move(hash.value());
    }
    // Before the report gets its name: what fails afterwards could not say that there is none.
    result.entry.link = where.substr(where.rfind('/') + 1);
    result.entry.fill(report);
    remark(plan, report.capture, result);
    check_fail_on(plan, path, report, result);
    if (own) {
        if (!own->finish(report, plan.report))
            return fail(own->error());
        result.tables = own->tables();
    } else if (plan.captures.size() > 1) { // written later in the order of the files
        plan.format.text()->write(
            report, plan.report, [&](std::string_view text) { result.text += text; });
    } else {
        result.write = [&plan, kept = std::make_shared<const Report>(std::move(report))](OutputFile &out) {
            plan.format.text()->write(
                *kept, plan.report, [&](std::string_view text) { out.write(text); });
        };
    }
    return result;
}

} // namespace

bool still_wanted(const ReportPlan &plan) {
    const bool decides_code = plan.options.strict || !plan.options.fail_on.empty();
    return decides_code || plan.output == nullptr || !plan.output->reader_gone();
}

std::string anonymous_name(std::size_t capture) {
    return fmt::format("capture-{}", capture + 1);
}

FileResult report_capture(const ReportPlan &plan, std::size_t capture) {
    try {
        return read_and_write(plan, capture);
    } catch (...) { // the destructors have removed what was written of it
        return failed_capture(plan, capture);
    }
}

} // namespace iscsiscope::cli
