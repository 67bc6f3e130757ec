// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/common_options.h"

#include "analyzer/base/number_format.h"
#include "analyzer/base/units.h"
#include "analyzer/pipeline/merge/merged_reader.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <thread>

namespace iscsiscope::cli {
namespace {

// Why the capture is not complete, in words that follow its name.
std::string incomplete_words(const CaptureInfo &info, const UnpackBounds &bounds) {
    switch (info.unpack_bound) {
    case UnpackBound::ratio:
        return fmt::format(
            "unpacks to more than {} times its size; read as far as that ({} frames); --unpack-ratio "
            "raises the bound",
            bounds.ratio, info.frames);
    case UnpackBound::time:
        return fmt::format(
            "its unpacking takes longer than {}; read as far as that ({} frames); --unpack-time "
            "raises the bound",
            human::duration(bounds.time), info.frames);
    case UnpackBound::none:
        break;
    }
    return fmt::format("cut short or damaged; read as far as it goes ({} frames)", info.frames);
}

// The threads of one capture, if none other is read.
int usual_threads() {
    constexpr unsigned most = 16; // one thread reads and one delivers at a time, which bounds the gain
    return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, most));
}

} // namespace

void add_quantiles_option(CLI::App &app, std::vector<double> &quantiles) {
    const CLI::Validator as_share(
        [](std::string &text) {
            const auto share = parse_share(text);
            text = share.ok() ? fmt::format("{}", share.value()) : text;
            return share.ok() ? std::string() : share.failure().message;
        },
        "");
    app.add_option("--quantiles", quantiles, "Quantiles to show, such as 0.5,0.95,0.999")
        ->type_name("Q,Q")
        ->delimiter(',')
        ->transform(as_share);
}

void add_common_options(CLI::App &app, CommonOptions &o) {
    app.add_option("--range", o.range,
                   "Figures of this part only: FROM..TO in seconds from the first frame, lengths (500ms..2s) "
                   "or dates and times (2024-05-01T12:00:00Z..)")
        ->type_name("FROM..TO");
    app.add_option("--gap-threshold", o.gap_threshold,
                   "Pauses longer than this are idle gaps (default: adapts to round trip and line rate)")
        ->type_name("TIME");
    app.add_option("--position", o.position,
                   "Where the capture was taken: auto, initiator, target, or 0 (initiator) to 1 (target)")
        ->type_name("POSITION");
    app.add_option("--port", o.ports, "A TCP port that carries iSCSI, besides what is found by content")
        ->type_name("N")
        ->delimiter(',')
        ->check(CLI::Range(1, 65535));
    app.add_option(
           "--unpack-ratio", o.unpack_ratio,
           "Unpack a compressed capture to at most so many times the compressed bytes (above 256 MiB)")
        ->type_name("N")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--unpack-time", o.unpack_time, "Spend at most so long on unpacking a compressed capture")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option(
           "--threads", o.threads,
           "Use at most N threads (default: one for each processor, at most 16; one where several captures "
           "are read at a time). The results are the same")
        ->type_name("N")
        ->check(CLI::Range(1, max_threads));
    add_output_option(app, o.output, "Write there instead of to standard output");
    app.add_flag("--strict", o.strict, "Exit code 1 if the capture is cut short or damaged");
    app.add_flag("--quiet", o.quiet, "No remarks and no progress on standard error, errors only");
    app.add_flag("--no-progress", o.no_progress, "No progress line");
}

void add_output_option(CLI::App &app, std::string &output, const char *meaning) {
    app.add_option("-o,--output", output, meaning)->type_name("FILE")->check([](const std::string &name) {
        return name.empty() ? std::string("the name is empty; - is standard output") : std::string();
    });
}

void add_union_options(CLI::App &app, CommonOptions &o) {
    CLI::Option *join = app.add_flag(
        "--join", o.join, "Take the files as one ring-buffer capture, in the order of their times");
    app.add_flag("--merge", o.merge,
                 "Take the files as one capture and interleave their packets by time: one file a direction "
                 "(ESXi's pktcap-uw), or one a path; copies of a packet are recognised")
        ->excludes(join);
}

std::string mistake_in_files(const CommonOptions &o, const std::vector<std::string> &files) {
    const auto inputs = std::count(files.begin(), files.end(), "-");
    if (inputs > 1)
        return "standard input (-) can be read once only";
    if (inputs == 1 && o.join && files.size() > 1)
        return "--join needs files: standard input cannot be read twice";
    if (o.merge && files.size() > MergedReader::max_files)
        return fmt::format("--merge takes at most {} files, not {}", MergedReader::max_files, files.size());
    return {};
}

Result<CommonSettings> understand(const CommonOptions &o, bool several) {
    CommonSettings s;
    s.files_are = o.merge ? FileUnion::merged : FileUnion::joined;
    if (!o.range.empty()) {
        auto range = TimeRange::parse(o.range);
        if (!range.ok())
            return Failure{"--range: " + range.failure().message};
        s.range = range.value();
    }
    if (!o.gap_threshold.empty()) {
        const auto threshold = parse_duration(o.gap_threshold);
        if (!threshold.ok())
            return Failure{"--gap-threshold: " + threshold.failure().message};
        s.engine.cycles.gap_threshold = threshold.value();
    }
    if (o.position == "initiator") {
        s.engine.cycles.position = 0;
    } else if (o.position == "target") {
        s.engine.cycles.position = 1;
    } else if (o.position != "auto") {
        const auto position = parse_share(o.position);
        if (!position.ok()) {
            return Failure{fmt::format(
                "--position: '{}' is not auto, initiator, target or a number from 0 to 1", o.position)};
        }
        s.engine.cycles.position = position.value();
    }
    if (!o.interval.empty()) {
        const auto interval = parse_duration(o.interval);
        if (!interval.ok() || interval.value() <= Duration{0}) {
            return Failure{"--interval: " +
                           (interval.ok() ? "it must be more than 0" : interval.failure().message)};
        }
        s.interval = interval.value();
    }
    const auto unpack_time = parse_duration(o.unpack_time);
    if (!unpack_time.ok() || unpack_time.value() <= Duration{0}) {
        return Failure{"--unpack-time: " +
                       (unpack_time.ok() ? "it must be more than 0" : unpack_time.failure().message)};
    }
    s.unpack.time = unpack_time.value();
    s.unpack.ratio = o.unpack_ratio;
    s.engine.iscsi.ports = o.ports;
    s.threads = o.threads.value_or(several ? 1 : usual_threads());
    return s;
}

std::string overwritten_input(const std::string &output, const std::vector<std::string> &inputs) {
    struct stat there {};
    if (output.empty() || output == "-" || ::stat(output.c_str(), &there) != 0 || !S_ISREG(there.st_mode))
        return {};
    for (const std::string &input : inputs) {
        struct stat st {};
        if (::stat(input.c_str(), &st) == 0 && st.st_dev == there.st_dev && st.st_ino == there.st_ino)
            return fmt::format("--output: {} is a capture to be read; it is not written over", output);
    }
    return {};
}

std::uint64_t total_size(const std::vector<std::string> &paths) {
    std::uint64_t total = 0;
    for (const std::string &p : paths) {
        struct stat st {};
        if (::stat(p.c_str(), &st) != 0)
            continue; // opening the file reports the error later
        if (!S_ISREG(st.st_mode))
            return 0;
        total += static_cast<std::uint64_t>(st.st_size);
    }
    return total;
}

std::string capture_remark(const std::string &path, const CaptureInfo &info, const UnpackBounds &bounds) {
    if (info.complete && !info.ended)
        return {};
    const std::string name = path == "-" ? "standard input" : path;
    if (!info.complete)
        return fmt::format("{}: {}", name, incomplete_words(info, bounds));
    return fmt::format("{}: ended by an interrupt; {} frames were read", name, info.frames);
}

std::string capture_remark(const CaptureSummary &summary, const UnpackBounds &bounds) {
    std::vector<std::string> damaged;
    for (const CaptureFile &f : summary.files)
        if (!f.complete)
            damaged.push_back(f.path);
    const std::string &first = summary.files.empty() ? summary.path : summary.files.front().path;
    return capture_remark(damaged.empty() ? first : fmt::format("{}", fmt::join(damaged, ", ")), summary.info,
                          bounds);
}

} // namespace iscsiscope::cli
