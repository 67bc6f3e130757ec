// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/progress.h"

#include "analyzer/base/number_format.h"
#include "sample-captures/testbed/common/json.h"

#include <algorithm>
#include <cstdio>

namespace iscsiscope::testbed::run {
namespace {

constexpr std::size_t bar_width = 30;

double seconds(Duration d) {
    return static_cast<double>(to_ns(d)) / 1e9;
}

std::string array_of(const std::vector<std::string> &texts) {
    std::string out = "[";
    for (const std::string &text : texts) {
        const std::string row = shim::JsonObject().text("t", text).str(); // {"t":"…"}: the value is quoted
        out += (out.size() > 1 ? "," : "") + row.substr(5, row.size() - 6);
    }
    return out + "]";
}

} // namespace

void Progress::clear() {
    if (drawn_) {
        std::fputs("\r\033[K", stderr);
        drawn_ = false;
    }
}

void Progress::phase(const std::string &what) {
    if (style_ == ProgressStyle::jsonl) {
        std::puts(shim::JsonObject()
                      .text("event", "phase")
                      .text("scenario", name_)
                      .text("phase", what)
                      .str()
                      .c_str());
        std::fflush(stdout);
    } else if (style_ == ProgressStyle::bar) {
        clear();
        std::fprintf(stderr, "%s: %s", name_.c_str(), what.c_str());
        drawn_ = true;
    }
}

void Progress::update(Duration elapsed, const Live &live) {
    if (style_ == ProgressStyle::none || elapsed <= last_) {
        return;
    }
    const std::uint64_t bytes = live.bytes;
    const double rate = static_cast<double>(bytes - last_bytes_) / seconds(elapsed - last_);
    last_ = elapsed;
    last_bytes_ = bytes;
    const bool known = expected_ && *expected_ > Duration{0};
    const double share = known ? std::min(1.0, seconds(elapsed) / seconds(*expected_)) : 0.0;
    const double left = known ? std::max(0.0, seconds(*expected_ - elapsed)) : 0.0;
    if (style_ == ProgressStyle::jsonl) {
        shim::JsonObject row;
        row.text("event", "progress").text("scenario", name_).real("elapsed_s", seconds(elapsed));
        row.raw("share", known ? fmt::format("{:.4f}", share) : "null");
        row.raw("left_s", known ? fmt::format("{:.1f}", left) : "null");
        row.real("mbytes_per_second", rate / 1e6).count("bytes", bytes).count("drops", live.drops);
        shim::JsonObject windows;
        for (std::size_t i = 0; i < std::min(hosts_.size(), live.cwnd.size()); ++i) {
            windows.count(hosts_[i], live.cwnd[i]);
        }
        row.raw("cwnd_bytes", windows.str());
        std::puts(row.str().c_str());
        std::fflush(stdout);
        return;
    }
    const auto full = static_cast<std::size_t>(share * bar_width);
    const std::string bar = known ? fmt::format("[{}{}] {:3.0f} %, {:.0f} s left", std::string(full, '#'),
                                                std::string(bar_width - full, '.'), share * 100.0, left)
                                  : fmt::format("{:.0f} s", seconds(elapsed));
    std::fprintf(stderr, "\r\033[K%s: %s, %s", name_.c_str(), bar.c_str(), human::rate(rate).c_str());
    drawn_ = true;
}

void Progress::end(int exit_code, const std::vector<std::string> &reasons,
                   const std::vector<std::string> &files) {
    clear();
    if (style_ == ProgressStyle::jsonl) {
        std::puts(shim::JsonObject()
                      .text("event", "end")
                      .text("scenario", name_)
                      .number("exit_code", exit_code)
                      .flag("valid", exit_code == 0)
                      .raw("reasons", array_of(reasons))
                      .raw("files", array_of(files))
                      .str()
                      .c_str());
        std::fflush(stdout);
    }
}

} // namespace iscsiscope::testbed::run
