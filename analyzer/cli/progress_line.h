// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/pipeline/read_capture.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

namespace iscsiscope::cli {

// Share done, MB/s and time left on one line of standard error, renewed a few times a second and
// wiped at the end. Counts over several files that are read at once. Thread-safe.
class ProgressLine {
public:
    // total_bytes 0: not known (pipes).
    ProgressLine(bool shown, std::uint64_t total_bytes, std::size_t files);
    ~ProgressLine();

    // Bytes that have come to what was read before.
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

// One file's part of it. proceed: asked each time; false stops the reading.
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
