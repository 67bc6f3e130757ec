// SPDX-License-Identifier: GPL-2.0-or-later
// A session with several tasks under way: an initiator and a target that keep to what they negotiated (sizes
// of data segments, bursts, immediate data, order of answers), in turns of random length. A turn is what one
// side sends before it has seen more of the other, so turns in their order are what any capture point sees.
#pragma once

#include "iscsi/dialogue.h"

#include <deque>
#include <optional>

struct BusyOptions {
    bool header_digest = false, data_digest = false;
    std::uint32_t data_in = 8192, data_out = 8192,
                  burst = 32768;                // bytes: MaxRecvDataSegmentLength, MaxBurstLength
    std::uint32_t immediate = 8192;             // bytes that a write command carries at most
    std::uint32_t block = 4096, max_blocks = 8; // sizes of tasks
    bool status_with_data = true;
    bool in_order = true; // the target serves the oldest task first
    std::size_t depth = 4;
    int tasks = 30;
};

BusyOptions random_busy_options(std::mt19937 &);

class BusyDialogue {
public:
    struct Turn {
        int side;
        std::uint64_t begin, end; // offsets in the stream of that side
    };

    BusyDialogue(const BusyOptions &, std::mt19937 &);

    const std::vector<std::byte> &stream(int side) const { return streams_[side]; } // 0 to target
    const std::vector<Dialogue::Placed> &pdus(int side) const { return pdus_[side]; }
    const std::vector<Turn> &turns() const { return turns_; } // the login's first
    std::uint64_t login_end(int side) const { return login_end_[side]; }

private:
    struct Task {
        std::uint32_t itt = 0, length = 0;
        bool reads = false;
        std::uint32_t moved = 0;                            // bytes sent either way
        std::optional<std::uint32_t> asked_at, asked_bytes; // an R2T that is not answered yet
        std::uint32_t r2ts = 0;
    };

    void put(int side, const iscsiscope::HeaderBytes &, std::uint32_t data);
    void put(int side, const iscsiscope::HeaderBytes &, std::span<const std::byte> data);
    void end_turn(int side);
    void log_in();
    void command(std::mt19937 &);
    void answer_r2ts();
    void serve(std::size_t task);
    void serve_read(Task &);
    void respond(const Task &);

    BusyOptions options_;
    std::vector<std::byte> streams_[2];
    std::vector<Dialogue::Placed> pdus_[2];
    std::vector<Turn> turns_;
    std::uint64_t login_end_[2] = {0, 0};
    iscsiscope::DigestUse digests_{};
    std::vector<Task> tasks_;
    int begun_ = 0;
    std::uint32_t cmd_sn_ = 1, stat_sn_ = 1;
};
