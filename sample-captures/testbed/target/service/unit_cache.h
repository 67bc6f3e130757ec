// SPDX-License-Identifier: GPL-2.0-or-later
// Which stripe units a buffer cache holds, the least recently used leaving first. Numbers only; the
// bytes are in the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace iscsiscope::testbed {

class UnitCache {
public:
    explicit UnitCache(std::size_t capacity) : capacity_(capacity) {}

    // True, and the unit becomes the youngest, where it is held.
    bool touch(std::uint64_t unit) {
        const auto at = where_.find(unit);
        if (at == where_.end())
            return false;
        order_.splice(order_.begin(), order_, at->second);
        return true;
    }

    void insert(std::uint64_t unit) {
        if (capacity_ == 0 || touch(unit))
            return;
        if (order_.size() == capacity_) {
            where_.erase(order_.back());
            order_.pop_back();
        }
        order_.push_front(unit);
        where_[unit] = order_.begin();
    }

private:
    std::size_t capacity_;
    std::list<std::uint64_t> order_;
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> where_;
};

} // namespace iscsiscope::testbed
