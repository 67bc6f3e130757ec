// SPDX-License-Identifier: GPL-2.0-or-later
// BoundedRing: a FIFO queue in one block of memory, which grows by doubling up to a limit. At the limit
// push_back() discards the oldest value. The object itself takes 16 bytes: a connection has a dozen of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace iscsiscope {

template <class T, std::uint16_t most>
class BoundedRing {
public:
    static_assert(std::has_single_bit(most));

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    T &operator[](std::size_t i) { return places_[(first_ + i) & (allocated_ - 1U)]; }
    const T &operator[](std::size_t i) const { return places_[(first_ + i) & (allocated_ - 1U)]; }
    T &back() { return (*this)[count_ - 1]; }
    const T &back() const { return (*this)[count_ - 1]; }
    const T &front() const { return places_[first_]; }

    void pop_front() {
        first_ = static_cast<std::uint16_t>((first_ + 1U) & (allocated_ - 1U));
        --count_;
    }

    void push_back(const T &value) {
        if (count_ == allocated_) [[unlikely]]
            make_room();
        places_[(first_ + count_) & (allocated_ - 1U)] = value;
        ++count_;
    }

    void clear() { first_ = count_ = 0; }

private:
    void make_room() {
        if (count_ == most) {
            pop_front();
            return;
        }
        const auto more = static_cast<std::uint16_t>(allocated_ == 0 ? 2 : 2 * allocated_);
        auto larger = std::make_unique<T[]>(more);
        for (std::size_t i = 0; i < count_; ++i)
            larger[i] = (*this)[i];
        places_ = std::move(larger);
        allocated_ = more;
        first_ = 0;
    }

    std::unique_ptr<T[]> places_; // null before the first value
    std::uint16_t allocated_ = 0; // places
    std::uint16_t first_ = 0, count_ = 0;
};

} // namespace iscsiscope
