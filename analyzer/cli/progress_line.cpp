// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/progress_line.h"

#include "analyzer/base/number_format.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace iscsiscope::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto first_after = std::chrono::milliseconds(500); // short runs show no line
constexpr auto renewed_every = std::chrono::milliseconds(200);

std::string time_left(double seconds) {
    const auto s = static_cast<long>(seconds + 0.5);
    return s < 60 ? fmt::format("{} s", s) : fmt::format("{} min {:02} s", s / 60, s % 60);
}

} // namespace

ProgressLine::ProgressLine(bool shown, std::uint64_t total_bytes, std::size_t files)
    : shown_(shown), total_(total_bytes), files_(files), start_(Clock::now()),
      last_(start_ + first_after - renewed_every) {}

ProgressLine::~ProgressLine() {
    if (on_screen_) {
        std::fputs("\r\x1b[K", stderr);
        std::fflush(stderr);
    }
}

void ProgressLine::add(std::uint64_t bytes) {
    if (!shown_)
        return;
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
    const auto now = Clock::now();
    if (now - last_ >= renewed_every) {
        last_ = now;
        show(now);
    }
}

void ProgressLine::file_done() {
    const std::lock_guard lock(mutex_);
    ++done_;
}

void ProgressLine::show(Clock::time_point now) {
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = static_cast<double>(bytes_) / std::max(seconds, 1e-3);
    std::string line = "\r\x1b[K";
    if (total_ != 0) {
        const double share = std::min(1.0, static_cast<double>(bytes_) / static_cast<double>(total_));
        line += fmt::format("{:3.0f} %  {}", share * 100, human::rate(rate));
        if (rate > 0)
            line += fmt::format("  {} left", time_left((1 - share) * static_cast<double>(total_) / rate));
    } else {
        line += fmt::format("{} read  {}", human::bytes(bytes_), human::rate(rate));
    }
    if (files_ > 1)
        line += fmt::format("  file {} of {}", std::min(done_ + 1, files_), files_);
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
    on_screen_ = true;
}

} // namespace iscsiscope::cli
