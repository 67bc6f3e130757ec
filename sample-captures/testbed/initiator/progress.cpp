// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/progress.h"

#include "analyzer/base/json_row.h"
#include "analyzer/base/number_format.h"
#include "sample-captures/testbed/common/clock.h"

#include <fmt/format.h>

#include <cstdio>

namespace iscsiscope::testbed::initiator {

Progress::Progress(asio::io_context &io, ProgressMode mode, std::chrono::nanoseconds interval,
                   std::function<ProgressNow()> now)
    : mode_(mode), interval_(interval), measure_(std::move(now)), timer_(io) {}

void Progress::start() {
    if (mode_ == ProgressMode::none)
        return;
    since_ = began_ = std::chrono::steady_clock::now();
    before_ = measure_();
    tick();
}

void Progress::stop() {
    timer_.cancel();
    if (line_open_)
        std::fputs("\n", stderr);
    line_open_ = false;
    mode_ = ProgressMode::none;
}

void Progress::tick() {
    timer_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(interval_));
    timer_.async_wait([this](const asio::error_code &error) {
        if (error || mode_ == ProgressMode::none)
            return;
        const auto time = std::chrono::steady_clock::now();
        const ProgressNow now = measure_();
        print(now, std::chrono::duration<double>(time - since_).count());
        before_ = now;
        since_ = time;
        tick();
    });
}

void Progress::print(const ProgressNow &now, double seconds) {
    const bool same_phase = now.phase == before_.phase;
    const double bytes = static_cast<double>(now.bytes - (same_phase ? before_.bytes : 0));
    const double commands = static_cast<double>(now.commands - (same_phase ? before_.commands : 0));
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (mode_ == ProgressMode::jsonl) {
        std::fputs((JsonObject("progress")
                        .number("time_ns", realtime_ns())
                        .text("phase", now.phase)
                        .json("seconds", fmt::format("{:.3f}", elapsed))
                        .json("mb_per_s", fmt::format("{:.3f}", bytes / 1e6 / seconds))
                        .json("io_per_s", fmt::format("{:.1f}", commands / seconds))
                        .number("connections", now.connections)
                        .json("share", now.share ? fmt::format("{:.4f}", *now.share) : "null")
                        .str() +
                    "\n")
                       .c_str(),
                   stderr);
    } else {
        std::string line = fmt::format("\r{} {:.0f} s  {}  {:.0f} IO/s", now.phase, elapsed,
                                       human::rate(bytes / seconds), commands / seconds);
        if (now.share)
            line += fmt::format("  {:.0f} %", *now.share * 100);
        if (now.share && *now.share > 0.01 && *now.share < 1)
            line += fmt::format("  {:.0f} s left", elapsed * (1 - *now.share) / *now.share);
        std::fputs((line + "\x1b[K").c_str(), stderr);
        line_open_ = true;
    }
    std::fflush(stderr);
}

} // namespace iscsiscope::testbed::initiator
