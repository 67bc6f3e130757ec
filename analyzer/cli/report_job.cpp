// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/report_job.h"

#include "analyzer/cli/files/output_names.h"
#include "analyzer/cli/progress_line.h"
#include "analyzer/cli/report_file.h"
#include "analyzer/figures/report_names.h"

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
    OrderedOutput(const ReportOptions &o, const std::vector<std::vector<std::string>> &captures,
                  OutputFile *out)
        : options_(o), names_(captures), out_(out), results_(captures.size()) {}

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
        if (out_ != nullptr && options_.format == "json" && results_.size() > 1)
            out_->write(any_ ? "]\n" : "[]\n");
        int code = exit_done;
        for (const FileResult &r : results_)
            code = std::max(code, r.code);
        return code;
    }

    // Of all CSV reports together.
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
        const bool several = results_.size() > 1;
        if (several && options_.format == "json")
            out_->write(any_ ? ",\n" : "[\n");
        else if (any_)
            out_->write("\n" + std::string(72, '=') + "\n\n");
        out_->write(r.text);
        any_ = true;
    }

    const ReportOptions &options_;
    const std::vector<std::vector<std::string>> &names_; // the files of each capture
    OutputFile *out_;
    std::mutex mutex_;
    std::vector<FileResult> results_;
    std::size_t next_ = 0;
    bool any_ = false;
};

// Returns the first mistake in the options that can be found before reading; empty if there is none.
std::string mistake_in(const ReportOptions &o) {
    constexpr std::string_view formats[] = {"text", "json", "html", "sqlite", "csv"};
    if (std::find(std::begin(formats), std::end(formats), o.format) == std::end(formats))
        return fmt::format("--format: '{}' is not one of text, json, html, sqlite, csv", o.format);
    const bool nowhere = o.output.empty() || o.output == "-";
    if (o.format == "csv" && nowhere)
        return "--format csv writes a folder of tables: name it with -o FOLDER";
    if (o.format == "sqlite" && nowhere)
        return "--format sqlite writes a data base: name it with -o FILE";
    if (o.format == "html" && nowhere && o.files.size() > 1 && !o.one_capture())
        return "--format html writes a page a capture: name the folder for them with -o FOLDER";
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
bool wants_folder(const ReportOptions &o, std::size_t captures) {
    if (o.output.empty() || o.output == "-")
        return false;
    if (captures > 1 && (o.format == "html" || o.format == "sqlite" || o.format == "csv"))
        return true;
    return o.format != "csv" && (o.output.back() == '/' || is_folder(o.output));
}

const char *extension(const std::string &format) {
    return format == "html"     ? ".html"
           : format == "json"   ? ".json"
           : format == "sqlite" ? ".db"
           : format == "csv"    ? ""
                                : ".txt";
}

std::vector<std::string> names_in_folder(const ReportOptions &o,
                                         const std::vector<std::vector<std::string>> &captures) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < captures.size(); ++i)
        paths.push_back(o.anonymize ? anonymous_name(i) : captures[i].front());
    return output_names(paths, extension(o.format), captures.size() > 1);
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
// names. tables: of a CSV report.
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
    if (plan.options.format != "csv")
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
    auto understood = understand(o);
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
    const bool folder = wants_folder(o, captures.size());
    std::optional<OutputFile> out;
    if (!folder && o.format != "csv" && o.format != "sqlite") {
        out.emplace(o.output, program.unfinished);
        if (!out->ok()) {
            complain(out->error());
            return exit_error;
        }
    } else if (folder && ::mkdir(o.output.c_str(), 0777) != 0 && !is_folder(o.output)) {
        complain(fmt::format("cannot make the folder {}: {}", o.output, std::strerror(errno)));
        return exit_error;
    }
    Anonymizer anonymizer;
    std::vector<std::string> names = names_in_folder(o, captures);
    const bool shown = is_terminal(STDERR_FILENO) && !o.quiet && !o.no_progress;
    std::optional<ProgressLine> line(std::in_place, shown, total_size(o.files), o.files.size());
    const std::vector<double> quantiles =
        o.quantiles.empty() ? std::vector{0.5, 0.9, 0.99, 0.999} : o.quantiles;
    const ReportPlan plan{o,
                          std::move(understood.value()),
                          std::move(filter),
                          quantiles,
                          terminal_style(o.output, o.quantiles),
                          folder,
                          std::move(captures),
                          std::move(names),
                          o.anonymize ? &anonymizer : nullptr,
                          program,
                          *line,
                          out ? &*out : nullptr};
    OrderedOutput ordered(o, plan.captures, out ? &*out : nullptr);
    make_reports(plan, ordered);
    line.reset();
    int code = ordered.finish();
    if (!out)
        code = finish_folder(plan, ordered, code);
    if (out && code == exit_error && plan.captures.size() == 1)
        return code; // no report was made: an existing output file is not replaced
    return out ? std::max(code, commit(*out)) : code;
}

} // namespace iscsiscope::cli
