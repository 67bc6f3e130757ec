// SPDX-License-Identifier: GPL-2.0-or-later
// GroupShares: which thread follows which group of connections of a batch.
//
// In: the groups of a batch. Out: each to one of the threads that ask. A thread gets first those that it
// followed last, since what is kept of their connections may still be in its cache, then those of others; so
// threads that have more time come to have more groups.
#pragma once

#include "analyzer/pipeline/batch/effort.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace iscsiscope {

// A connection, or those of one session.
struct ConnectionGroup {
    std::uint32_t leads = 0;            // the least of their slots
    std::uint32_t first = 0, count = 0; // where the slots stand that have something to do
};

class GroupShares {
public:
    // threads: that follow groups. effort: gets what they take; may be null.
    GroupShares(std::size_t threads, Effort *effort) : effort_(effort), shares_(threads) {}

    // begin(), add() and sum_up() are called by one thread, while no other follows groups.
    // A new batch begins, with slots below this number.
    void begin(std::size_t slots);
    // Groups of one thread are followed in the order in which they are added.
    void add(const ConnectionGroup &);
    // Some groups are left of which no thread has begun.
    bool any_left() const { return left_.load(std::memory_order_relaxed) > 0; }
    // Calls follow(group) for groups until none is left. thread: a number from 0 that no other thread has
    // now.
    template <class Follow>
    void follow(std::size_t thread, const Follow &follow) {
        for (std::size_t i = 0; i < shares_.size() && any_left(); ++i) {
            Share &share = shares_[(thread + i) % shares_.size()];
            Effort own;
            {
                const EffortTimer timer(effort_ != nullptr ? &own : nullptr, &Effort::following);
                for (auto some = take(share); !some.empty(); some = take(share))
                    for (const ConnectionGroup &group : some) {
                        follow(group);
                        if (!followed_by_.empty())
                            followed_by_[group.leads] = static_cast<std::uint16_t>(thread);
                    }
            }
            if (effort_ != nullptr)
                note_effort(share, own.following);
        }
    }
    // The batch has ended: states what its groups took.
    void sum_up();

private:
    // The groups that one thread takes first.
    struct alignas(64) Share {
        std::vector<ConnectionGroup> groups;
        std::atomic<std::size_t> next{0};
        Duration spent{}; // on these groups
    };

    // The next ones; empty: none is left.
    std::span<const ConnectionGroup> take(Share &);
    void note_effort(Share &, Duration);

    Effort *const effort_;
    std::deque<Share> shares_; // one a thread
    std::atomic<std::size_t> left_{0};
    // By the slot that leads: the thread (below max_threads); empty: there is one only.
    std::deque<std::uint16_t> followed_by_;
    std::mutex lock_; // of what the shares spent
};

} // namespace iscsiscope
