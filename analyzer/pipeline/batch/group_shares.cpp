// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/batch/group_shares.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {

void GroupShares::begin(std::size_t slots) {
    while (shares_.size() > 1 && followed_by_.size() < slots)
        followed_by_.push_back(static_cast<std::uint16_t>(followed_by_.size() % shares_.size()));
    for (Share &s : shares_) {
        s.groups.clear();
        s.next.store(0, std::memory_order_relaxed);
    }
    left_.store(0, std::memory_order_relaxed);
}

void GroupShares::add(const ConnectionGroup &group) {
    shares_[followed_by_.empty() ? 0 : followed_by_[group.leads]].groups.push_back(group);
    left_.fetch_add(1, std::memory_order_relaxed);
}

std::span<const ConnectionGroup> GroupShares::take(Share &share) {
    const std::size_t all = share.groups.size();
    // So many at a time that all threads end at about the same time.
    const std::size_t at_once = std::max<std::size_t>(1, all / 8);
    const std::size_t from = std::min(share.next.fetch_add(at_once, std::memory_order_relaxed), all);
    const std::size_t count = std::min(at_once, all - from);
    left_.fetch_sub(count, std::memory_order_relaxed);
    return std::span(share.groups).subspan(from, count);
}

void GroupShares::note_effort(Share &share, Duration spent) {
    const std::lock_guard held(lock_);
    share.spent += spent;
}

void GroupShares::sum_up() {
    if (effort_ == nullptr)
        return;
    Duration longest{};
    for (Share &s : shares_) {
        longest = std::max(longest, s.spent);
        effort_->following += std::exchange(s.spent, Duration{});
    }
    effort_->longest += longest;
}

} // namespace iscsiscope
