// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/common/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

enum class ProgressStyle : std::uint8_t { none, bar, jsonl };

// Shows the user how a run goes: a bar on the terminal (standard error), or one JSON object a line
// on standard output for another program.
class Progress {
public:
    Progress(ProgressStyle style, std::string name, std::optional<Duration> expected)
        : style_(style), name_(std::move(name)), expected_(expected) {}
    ~Progress() { clear(); }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    void phase(const std::string &what);
    // bytes: IP bytes delivered so far, all hosts; drops: packets dropped so far; cwnd: of the hosts whose
    // names were reported, bytes.
    struct Live {
        std::uint64_t bytes = 0, drops = 0;
        std::vector<std::uint64_t> cwnd;
    };
    void hosts(std::vector<std::string> names) { hosts_ = std::move(names); }
    bool wants_live() const { return style_ == ProgressStyle::jsonl; }
    void update(Duration elapsed, const Live &);
    void end(int exit_code, const std::vector<std::string> &reasons, const std::vector<std::string> &files);

private:
    void clear();
    ProgressStyle style_;
    std::string name_;
    std::optional<Duration> expected_;
    Duration last_{0};
    std::uint64_t last_bytes_ = 0;
    std::vector<std::string> hosts_;
    bool drawn_ = false;
};

} // namespace iscsiscope::testbed::run
