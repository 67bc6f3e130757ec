// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/progress.h"

#include "analyzer/base/json_row.h"
#include "analyzer/base/number_format.h"

#include <algorithm>
#include <cstdio>

namespace iscsiscope::testbed::run {
namespace {

constexpr std::size_t bar_width = 30;

double seconds(Duration d) {
    return static_cast<double>(to_ns(d)) / 1e9;
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
        std::puts(
            JsonObject().text("event", "phase").text("scenario", name_).text("phase", what).str().c_str());
        std::fflush(stdout);
    } else if (style_ == ProgressStyle::bar) {
        clear();
        std::fprintf(stderr, "%s: %s", name_.c_str(), what.c_str());
        drawn_ = true;
    }
}

void Progress::update(Duration elapsed, const Live &live) {
    if (style_ == ProgressStyle::none || elapsed <= last_)
        return;
    const std::uint64_t bytes = live.bytes;
    const double rate = static_cast<double>(bytes - last_bytes_) / seconds(elapsed - last_);
    last_ = elapsed;
    last_bytes_ = bytes;
    const bool known = expected_ && *expected_ > Duration{0};
    const double share = known ? std::min(1.0, seconds(elapsed) / seconds(*expected_)) : 0.0;
    const double left = known ? std::max(0.0, seconds(*expected_ - elapsed)) : 0.0;
    if (style_ == ProgressStyle::jsonl) {
        JsonObject row;
        row.text("event", "progress").text("scenario", name_).real("elapsed_s", seconds(elapsed));
        row.json("share", known ? fmt::format("{:.4f}", share) : "null");
        row.json("left_s", known ? fmt::format("{:.1f}", left) : "null");
        row.real("mbytes_per_second", rate / 1e6).number("bytes", bytes).number("drops", live.drops);
        JsonObject windows;
        for (std::size_t i = 0; i < std::min(hosts_.size(), live.cwnd.size()); ++i)
            windows.number(hosts_[i], live.cwnd[i]);
        row.json("cwnd_bytes", windows.str());
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
        std::puts(JsonObject()
                      .text("event", "end")
                      .text("scenario", name_)
                      .number("exit_code", exit_code)
                      .truth("valid", exit_code == 0)
                      .json("reasons", json_array(reasons))
                      .json("files", json_array(files))
                      .str()
                      .c_str());
        std::fflush(stdout);
    }
}

} // namespace iscsiscope::testbed::run
