// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/report_job.h"

#include "analyzer/cli/files/output_names.h"
#include "analyzer/cli/progress_line.h"
#include "analyzer/cli/report_file.h"
#include "analyzer/figures/report_names.h"
#include "analyzer/report/formats/format.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <new>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace iscsiscope::cli {
namespace {

// Writes the reports in the order of the files, whatever order they are finished in.
class OrderedOutput {
public:
    // series: what stands around several reports in `out`, which may be null.
    OrderedOutput(ReportText::Series series, const std::vector<std::vector<std::string>> &captures,
                  OutputFile *out)
        : series_(series), names_(captures), out_(out), results_(captures.size()) {}

    void add(std::size_t file, FileResult result) {
        const std::lock_guard lock(mutex_);
        results_[file] = std::move(result);
        results_[file].done = true;
        while (next_ < results_.size() && results_[next_].done) {
            try {
                put(results_[next_]);
            } catch (...) { // its report is made only when it is written
                results_[next_].code = exit_error;
                complain(failure_sentence("the report of " + names_[next_].front()));
            }
            results_[next_].text = {};
            results_[next_].write = {};
            ++next_;
        }
    }

    int finish() {
        if (out_ != nullptr)
            out_->write(any_ ? series_.end : series_.none);
        int code = exit_done;
        for (const FileResult &r : results_)
            code = std::max(code, r.code);
        return code;
    }

    // Of all folders of tables together.
    std::size_t tables() const {
        std::size_t n = 0;
        for (const FileResult &r : results_)
            n += r.tables;
        return n;
    }

    std::vector<BatchEntry> entries() {
        std::vector<BatchEntry> all;
        for (FileResult &r : results_)
            all.push_back(std::move(r.entry));
        return all;
    }

private:
    void put(const FileResult &r) {
        for (const std::string &c : r.complaints)
            complain(c);
        if (out_ != nullptr && r.write)
            r.write(*out_);
        if (out_ == nullptr || r.text.empty())
            return;
        out_->write(any_ ? series_.between : series_.begin);
        out_->write(r.text);
        any_ = true;
    }

    const ReportText::Series series_;
    const std::vector<std::vector<std::string>> &names_; // the files of each capture
    OutputFile *out_;
    std::mutex mutex_;
    std::vector<FileResult> results_;
    std::size_t next_ = 0;
    bool any_ = false;
};

// True if the reports of several captures can follow each other in one output.
bool takes_several(const ReportFormat &format) {
    return format.text() != nullptr && format.text()->series();
}

// Returns a sentence if there has to be a place for what the format writes; otherwise empty.
std::string mistake_without_output(const ReportOptions &o, const Format &format) {
    const ReportFormat &reports = *format.reports;
    if (reports.text() == nullptr)
        return fmt::format("--format {} writes {}: name it with -o {}", format.name, reports.output(),
                           reports.extension().empty() ? "FOLDER" : "FILE");
    if (!takes_several(reports) && o.files.size() > 1 && !o.one_capture())
        return fmt::format("--format {} writes {}: name the folder for them with -o FOLDER", format.name,
                           reports.output());
    return {};
}

// Returns the first mistake in the options that can be found before reading; empty if there is none.
std::string mistake_in(const ReportOptions &o) {
    const Format *format = find_format(o.format);
    if (format == nullptr || format->reports == nullptr) {
        std::string names;
        for (const Format *f : formats_with(&Format::reports))
            names += fmt::format("{}{}", names.empty() ? "" : ", ", f->name);
        return fmt::format("--format: '{}' is not one of {}", o.format, names);
    }
    if (o.output.empty() || o.output == "-")
        if (std::string mistake = mistake_without_output(o, *format); !mistake.empty())
            return mistake;
    if (std::string mistake = mistake_in_files(o, o.files); !mistake.empty())
        return mistake;
    if (o.hash && (o.anonymize || (o.one_capture() && o.files.size() > 1))) {
        return o.anonymize
                   ? "--hash would identify the file of an anonymous report"
                   : fmt::format("--hash is of one file: not with {}", o.merge ? "--merge" : "--join");
    }
    if (o.hash && std::count(o.files.begin(), o.files.end(), "-") == 1)
        return "--hash needs a file: standard input cannot be read twice";
    if (!o.fail_on.empty()) {
        const auto compiled = Expression::compile(o.fail_on, ReportNames(Report{}));
        if (!compiled.ok())
            return "--fail-on: " + compiled.failure().show(o.fail_on);
    }
    return {};
}

bool is_folder(const std::string &path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

// True if each capture's report is a file or folder of its own in the folder -o.
bool wants_folder(const ReportOptions &o, const ReportFormat &format, std::size_t captures) {
    if (o.output.empty() || o.output == "-")
        return false;
    if (captures > 1 && !takes_several(format))
        return true;
    return !format.extension().empty() && (o.output.back() == '/' || is_folder(o.output));
}

std::vector<std::string> names_in_folder(const ReportOptions &o, const ReportFormat &format,
                                         const std::vector<std::vector<std::string>> &captures) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < captures.size(); ++i)
        paths.push_back(o.anonymize ? anonymous_name(i) : captures[i].front());
    return output_names(paths, format.extension(), captures.size() > 1);
}

int write_index(const ReportOptions &o, const std::vector<BatchEntry> &entries, Program &program) {
    const std::string path = fmt::format("{}/{}", o.output, index_page);
    if (const std::string mistake = overwritten_input(path, o.files); !mistake.empty()) {
        complain(mistake);
        return exit_error;
    }
    OutputFile out(path, program.unfinished);
    out.write(batch_index(entries, ISCSISCOPE_VERSION));
    return commit(out);
}

// Returns the words on what is in the folder -o now; empty if nothing was written, or only the file that -o
// names. tables: in a folder of tables.
std::string written_words(const ReportPlan &plan, const std::vector<BatchEntry> &entries, bool with_index,
                          std::size_t tables) {
    const std::string folder =
        plan.options.output.substr(0, plan.options.output.find_last_not_of('/') + 1) + "/";
    const auto made = static_cast<std::size_t>(
        std::count_if(entries.begin(), entries.end(), [](const BatchEntry &e) { return e.problem.empty(); }));
    if (entries.size() > 1) {
        const std::string number =
            made == entries.size() ? fmt::format("{}", made) : fmt::format("{} of {}", made, entries.size());
        return fmt::format("wrote {} reports{} to {}", number,
                           with_index ? fmt::format(" and {}", index_page) : "", folder);
    }
    if (made == 0)
        return {};
    if (plan.into_folder)
        return fmt::format("wrote {} to {}", plan.names.front(), folder);
    if (!plan.format.extension().empty()) // no folder of tables
        return {};
    return fmt::format("wrote {} tables to {}", tables, folder);
}

// Completes a folder of reports: the index of several, and a line on standard error. code: the exit code so
// far. Returns the exit code.
int finish_folder(const ReportPlan &plan, OrderedOutput &ordered, int code) {
    int indexed = exit_done;
    std::vector<BatchEntry> entries;
    const bool several = plan.into_folder && plan.captures.size() > 1;
    if (several) {
        entries = ordered.entries();
        indexed = write_index(plan.options, entries, plan.program);
    }
    if (!plan.options.quiet)
        remark_if_possible([&] {
            return written_words(plan, several ? entries : ordered.entries(), several && indexed == exit_done,
                                 ordered.tables());
        });
    return std::max(code, indexed);
}

// Makes the reports with several threads. Rethrows what went wrong outside of a single report.
void make_reports(const ReportPlan &plan, OrderedOutput &ordered) {
    const std::size_t captures = plan.captures.size();
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < captures && still_wanted(plan); i = next++)
                ordered.add(i, report_capture(plan, i));
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
            next = captures; // the other threads end too
        }
    };
    {
        std::vector<std::jthread> others;
        others.reserve(static_cast<std::size_t>(plan.options.jobs));
        try {
            while (others.size() + 1 < std::min(static_cast<std::size_t>(plan.options.jobs), captures))
                others.emplace_back(work);
        } catch (const std::exception &) { // the system allows no more threads: those there are do the work
            complain("fewer captures than --jobs are read at once: the system allows no more threads");
        }
        work();
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace

int run_report(const ReportOptions &o, Program &program) {
    if (const std::string mistake = mistake_in(o); !mistake.empty())
        return usage_error("report", mistake);
    auto understood = understand(o, o.jobs > 1 && o.files.size() > 1 && !o.one_capture());
    if (!understood.ok())
        return usage_error("report", understood.failure().message);
    std::optional<Expression> filter;
    if (!o.filter.empty()) {
        auto compiled = Expression::compile(o.filter, ColumnNames(cycle_table()));
        if (!compiled.ok())
            return usage_error("report", "--filter: " + compiled.failure().show(o.filter));
        filter = std::move(compiled.value());
    }
    std::vector<std::vector<std::string>> captures;
    if (o.one_capture())
        captures.push_back(o.files);
    else
        for (const std::string &f : o.files)
            captures.push_back({f});
    if (const std::string mistake = overwritten_input(o.output, o.files); !mistake.empty())
        return usage_error("report", mistake);
    const ReportFormat &format = *find_format(o.format)->reports;
    const bool folder = wants_folder(o, format, captures.size());
    std::optional<OutputFile> out;
    if (!folder && format.text() != nullptr) {
        out.emplace(o.output, program.unfinished);
        if (!out->ok()) {
            complain(out->error());
            return exit_error;
        }
    } else if (folder) {
        const int error = program.unfinished.create_named_folder(o.output);
        if (error != 0 && !is_folder(o.output)) {
            complain(fmt::format("cannot make the folder {}: {}", o.output, std::strerror(error)));
            return exit_error;
        }
    }
    Anonymizer anonymizer;
    std::vector<std::string> names = names_in_folder(o, format, captures);
    const bool shown = is_terminal(STDERR_FILENO) && !o.quiet && !o.no_progress;
    std::optional<ProgressLine> line(std::in_place, shown, total_size(o.files), o.files.size());
    ReportSettings settings;
    settings.quantiles = o.quantiles.empty() ? std::vector{0.5, 0.9, 0.99, 0.999} : o.quantiles;
    settings.style = terminal_style(o.output, o.quantiles);
    settings.detail = o.brief ? ReportDetail::brief : o.all ? ReportDetail::all : ReportDetail::ordinary;
    settings.version = ISCSISCOPE_VERSION;
    const ReportPlan plan{o,
                          std::move(understood.value()),
                          std::move(filter),
                          format,
                          std::move(settings),
                          folder,
                          std::move(captures),
                          std::move(names),
                          o.anonymize ? &anonymizer : nullptr,
                          program,
                          *line,
                          out ? &*out : nullptr};
    const bool several = plan.captures.size() > 1 && takes_several(format);
    const ReportText::Series series = several ? *format.text()->series() : ReportText::Series{};
    OrderedOutput ordered(series, plan.captures, out ? &*out : nullptr);
    make_reports(plan, ordered);
    line.reset();
    int code = ordered.finish();
    if (!out)
        code = finish_folder(plan, ordered, code);
    if (folder)
        program.unfinished.remove_folder(o.output); // stays unless it was made for no report
    if (out && code == exit_error && plan.captures.size() == 1)
        return code; // no report was made: an existing output file is not replaced
    return out ? std::max(code, commit(*out)) : code;
}

} // namespace iscsiscope::cli
