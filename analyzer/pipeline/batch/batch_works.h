// SPDX-License-Identifier: GPL-2.0-or-later
// BatchWorks: works batches off one connection at a time, so that what is kept of a connection is found in
// the cache, and connections of different sessions in several threads.
//
// In: batches, in file order: begin(), then follow() by any number of threads, then end(). Out: the records
// of each, written down by the works that cause them. What is written for a work does not depend on where
// batches end nor on the threads, but for what is said below.
//
// begin() follows all connections from frame to frame that are not settled (ConnectionFollower), each until
// it is. What is left of each connection, or of those of one session together, is one group, which one thread
// follows. A login that acts on other connections has them followed up to it first. Two things may still come
// in another order than in the file: what a second login of a connection that has a session does to others,
// which is done at the end of the batch, and which of the sessions that ended in one batch is forgotten first
// (SessionTable::max_nexuses).
#pragma once

#include "analyzer/base/containers/chunked.h"
#include "analyzer/cycles/connection_follower.h"
#include "analyzer/pipeline/batch/batch.h"
#include "analyzer/pipeline/batch/group_shares.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace iscsiscope {

class BatchWorks final : FollowOrder {
public:
    // wanted: the tables of which records are to be written down. tasks_kept: how many tasks may begin before
    // Batch::oldest_cycle is stated anew. threads: at most so many call follow() at a time. effort: gets what
    // the works take; may be null.
    BatchWorks(const RecordTables &wanted, const EngineOptions &, std::uint64_t tasks_kept,
               std::size_t threads = 1, Effort *effort = nullptr);
    BatchWorks(const BatchWorks &) = delete;
    BatchWorks &operator=(const BatchWorks &) = delete;

    // All three, in one thread.
    void work_off(Batch &);

    void begin(Batch &);
    // Follows groups until none is left. thread: a number from 0 that no other thread has now.
    void follow(std::size_t thread);
    // Some groups are left of which no thread has begun.
    bool any_left() const { return shares_.any_left(); }
    // Once begin() and all calls of follow() have returned, and no group is left.
    void end();

    const ConnectionFollower &follower() const { return follower_; }

private:
    // Works of one connection that are put off.
    struct PutOff {
        std::uint32_t of = 0; // its slot
        std::uint32_t first = Work::none, last = Work::none;
        bool grouped = false;
    };
    // What is done at the end of the batch: a session is over, or (null) the login of this slot acts.
    struct Later {
        std::uint32_t work = 0;
        Session *over = nullptr;
        std::uint32_t slot = 0;
    };

    bool alone() const override { return alone_; }
    void catch_up(std::span<const std::uint32_t> of) override;
    void session_over(Session &) override;
    void login_acts(std::uint32_t slot) override;

    void follow_unsettled();
    void make_groups();
    void put_off(std::uint32_t work);
    // The first work that is put off of a slot; none: there is none.
    std::uint32_t first_of(std::uint32_t slot) const {
        return at_[slot] != Work::none ? put_off_[at_[slot]].first : Work::none;
    }
    void work_off(std::uint32_t work);
    void fetch_ahead(std::uint32_t work) const;
    // Works off what is put off of the connections that have these slots and comes before the work, in file
    // order.
    void catch_up(std::span<const std::uint32_t> of, std::uint32_t before);
    // The same of one connection.
    void catch_up_alone(std::uint32_t slot, std::uint32_t before);
    // The same with the slots of the connection's session.
    void catch_up_session(std::uint32_t slot, std::uint32_t before);

    RecordLog log_;
    ConnectionFollower follower_;
    const std::uint64_t tasks_kept_;
    const std::size_t threads_;
    Effort *const effort_;
    CycleId oldest_;
    std::uint64_t look_at_ = 0; // when so many tasks have begun, oldest_ is stated anew
    bool alone_ = true;         // outside follow()

    // Of the batch:
    Batch *batch_ = nullptr;
    std::vector<PutOff> put_off_;
    std::vector<std::uint32_t> grouped_; // slots
    GroupShares shares_;
    std::mutex lock_; // of later_
    std::vector<Later> later_;

    // By slot:
    std::vector<bool> settled_;
    Chunked<std::uint32_t> at_; // the place in put_off_; none: it has none
};

} // namespace iscsiscope
