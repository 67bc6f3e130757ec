// SPDX-License-Identifier: GPL-2.0-or-later
// FollowedTasks: what the tasks of one connection have sent so far, for the rules on tasks and data. Memory
// is bounded: 256 tasks; one whose place another tag takes over is not followed further.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <array>
#include <cstdint>
#include <memory>

namespace iscsiscope {

// An R2T that is not answered in full.
struct OpenR2t {
    std::uint32_t ttt = 0, offset = 0, length = 0;
    std::uint32_t sent = 0; // by Data-Out that answers it
    std::uint32_t pdus : 31 = 0;
    bool open : 1 = false;
};

struct FollowedTask {
    std::uint32_t itt = 0;
    std::uint32_t expected = 0; // ExpectedDataTransferLength
    std::uint32_t cmd_sn = 0;

    std::uint32_t next_offset = 0;    // expected Buffer Offset of the next Data-In
    std::uint32_t sequence_bytes = 0; // in the current Data-In sequence
    std::uint32_t next_data_sn = 0;   // of Data-In, and of R2T in a task that writes (RFC 7143 11.7.5)

    std::uint32_t unsolicited_bytes = 0, unsolicited_pdus = 0; // immediate data counts as bytes
    std::uint32_t next_r2t_offset = 0;
    std::uint32_t open_r2ts : 26 = 0; // one word with what follows
    bool open : 1 = false;            // has no status
    bool ended : 1 = false;           // has a status
    bool reads : 1 = false, writes : 1 = false;
    bool unsolicited_over : 1 = false; // the F bit ended its unsolicited data
    bool r2ts_left_out : 1 = false;    // more were outstanding at once than r2ts holds
    // Those that fit; with more outstanding at once Data-Out is not tested against its R2T.
    // Null: there has been none.
    std::unique_ptr<std::array<OpenR2t, 2>> r2ts;

    OpenR2t *r2t(std::uint32_t ttt) {
        if (r2ts)
            for (OpenR2t &r : *r2ts)
                if (r.open && r.ttt == ttt)
                    return &r;
        return nullptr;
    }
};

class FollowedTasks {
public:
    static constexpr std::size_t followed = 256;

    // A new task takes over the place.
    FollowedTask &begin(std::uint32_t itt) {
        std::unique_ptr<Block> &block = blocks_[place(itt) / block_size];
        if (!block)
            block = std::make_unique<Block>();
        FollowedTask &task = (*block)[place(itt) % block_size];
        left_out_ = left_out_ || (task.open && task.itt != itt);
        task = {};
        task.itt = itt;
        task.open = true;
        return task;
    }
    // Open or ended; null: not followed.
    FollowedTask *find(std::uint32_t itt) const {
        Block *block = blocks_[place(itt) / block_size].get();
        if (block == nullptr)
            return nullptr;
        FollowedTask &task = (*block)[place(itt) % block_size];
        return (task.open || task.ended) && task.itt == itt ? &task : nullptr;
    }
    FollowedTask *find_open(std::uint32_t itt) const {
        FollowedTask *task = find(itt);
        return task != nullptr && task->open ? task : nullptr;
    }
    // The place of an open task was taken over.
    bool left_out() const { return left_out_; }
    // The task has its status.
    void end(FollowedTask &task);
    // Frees what holds no open task; returns how many blocks are left.
    std::size_t free_ended();

private:
    // Entries are in blocks: most initiators count their tags up, so that few blocks are in use at a time.
    static constexpr std::size_t block_size = 16;
    using Block = std::array<FollowedTask, block_size>;

    static std::size_t place(std::uint32_t itt) { return (itt ^ (itt >> 8) ^ (itt >> 16)) % followed; }
    static void free_if_over(std::unique_ptr<Block> &);

    std::array<std::unique_ptr<Block>, followed / block_size> blocks_; // allocated at first use
    bool left_out_ = false;
};

} // namespace iscsiscope
