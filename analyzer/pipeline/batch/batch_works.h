// SPDX-License-Identifier: GPL-2.0-or-later
// BatchWorks: works batches off one connection at a time, so that what is kept of a connection is found in
// the cache.
//
// In: batches, in file order. Out: the records of each, written down by the works that cause them. What is
// written for a work does not depend on where batches end, but for what is said below.
//
// First all connections are followed from frame to frame that are not settled (Shard), each until it is; then
// what is left of each connection, or of those of one session together. A login that acts on other
// connections has them followed up to it first. Two things may still come in another order than in the file:
// what a second login of a connection that has a session does to others, and which of the sessions that ended
// in one batch is forgotten first (SessionTable::max_nexuses).
#pragma once

#include "analyzer/cycles/shard.h"
#include "analyzer/pipeline/batch/batch.h"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace iscsiscope {

class BatchWorks {
public:
    // wanted: the tables of which records are to be written down. tasks_kept: how many tasks may begin before
    // Batch::oldest_cycle is stated anew.
    BatchWorks(const RecordTables &wanted, const EngineOptions &, std::uint64_t tasks_kept);
    BatchWorks(const BatchWorks &) = delete;
    BatchWorks &operator=(const BatchWorks &) = delete;

    void work_off(Batch &);

    const Shard &shard() const { return shard_; }

private:
    // Works of one connection that are put off.
    struct PutOff {
        std::uint32_t of = 0; // its slot
        std::uint32_t first = Work::none, last = Work::none;
    };

    void follow_unsettled();
    void follow_the_rest();
    void put_off(std::uint32_t work);
    // The first work that is put off of a slot; none: there is none.
    std::uint32_t first_of(std::uint32_t slot) const {
        return at_[slot] != Work::none ? put_off_[at_[slot]].first : Work::none;
    }
    void work_off(std::uint32_t work);
    // Works off what is put off of the connections that have these slots and comes before the work, in file
    // order.
    void catch_up(std::span<const std::uint32_t> of, std::uint32_t before);
    // The same with the slots of the connection's session.
    void catch_up_session(std::uint32_t slot, std::uint32_t before);

    RecordLog log_;
    Shard shard_;
    const std::uint64_t tasks_kept_;
    CycleId oldest_;
    std::uint64_t look_at_ = 0;          // when so many tasks have begun, oldest_ is stated anew
    std::vector<Work> *works_ = nullptr; // of the batch
    std::vector<bool> settled_;          // by slot
    std::deque<std::uint32_t> at_;       // by slot, the place in put_off_; none: it has none
    std::vector<PutOff> put_off_;        // of the batch
};

} // namespace iscsiscope
