// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/pipeline/read_capture.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

namespace iscsiscope::cli {

// Shows the share done, MB/s and the time left on one line of standard error, updated five times a second and
// cleared at the end. It sums over several files that are read at once. Thread-safe.
class ProgressLine {
public:
    // total_bytes: of all files; 0: not known (pipes).
    ProgressLine(bool shown, std::uint64_t total_bytes, std::size_t files);
    ~ProgressLine();

    // Adds bytes read since the last call.
    void add(std::uint64_t bytes);
    void file_done();

private:
    void show(std::chrono::steady_clock::time_point now);

    const bool shown_;
    const std::uint64_t total_;
    const std::size_t files_;
    const std::chrono::steady_clock::time_point start_;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point last_;
    std::uint64_t bytes_ = 0;
    std::size_t done_ = 0;
    bool on_screen_ = false;
};

// Reports the progress of one file to a ProgressLine, which must outlive it. proceed: called at each
// progress; reading stops when it returns false.
class FileProgress final : public ReadObserver {
public:
    explicit FileProgress(ProgressLine &line, std::function<bool()> proceed = {})
        : line_(line), proceed_(std::move(proceed)) {}
    ~FileProgress() override { line_.file_done(); }

    bool on_progress(std::uint64_t, std::uint64_t bytes, std::optional<std::uint64_t>) override {
        line_.add(bytes - last_);
        last_ = bytes;
        return !proceed_ || proceed_();
    }

private:
    ProgressLine &line_;
    std::function<bool()> proceed_;
    std::uint64_t last_ = 0;
};

} // namespace iscsiscope::cli
