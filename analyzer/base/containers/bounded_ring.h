// SPDX-License-Identifier: GPL-2.0-or-later
// BoundedRing: a FIFO queue in one block of memory, which grows by a third or a half up to a limit. At the
// limit push_back() discards the oldest value. Each time that the values have gone once round the block, it
// shrinks if few of its places were needed since: a connection that had much in flight once does not keep the
// memory. Only push_back() moves values. The object itself takes 16 bytes: a connection has a dozen of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace iscsiscope {

template <class T, std::uint16_t most>
class BoundedRing {
public:
    std::size_t capacity() const { return allocated_; }
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    T &operator[](std::size_t i) { return places_[place(i)]; }
    const T &operator[](std::size_t i) const { return places_[place(i)]; }
    T &back() { return (*this)[count_ - 1]; }
    const T &back() const { return (*this)[count_ - 1]; }
    const T &front() const { return places_[first_]; }

    void pop_front() {
        first_ = static_cast<std::uint16_t>(place(1));
        --count_;
    }

    void push_back(const T &value) {
        if (count_ == allocated_) [[unlikely]]
            make_room();
        std::size_t at = place(count_);
        if (at == 0 && allocated_ > always_kept) [[unlikely]] {
            shrink();
            at = place(count_);
        }
        places_[at] = value;
        ++count_;
        needed_ = std::max(needed_, count_);
    }

    void clear() { first_ = count_ = 0; }

private:
    // Of the value that is i behind the first one; i is at most allocated_.
    std::size_t place(std::size_t i) const {
        const std::size_t at = first_ + i;
        return at < allocated_ ? at : at - allocated_;
    }

    // To 2, 3, 4, 6, 8, 12, 16 places and so on: at most a third of a block that grows stands empty.
    void make_room() {
        if (count_ == most) {
            pop_front();
            return;
        }
        const std::size_t more = std::has_single_bit(allocated_) ? allocated_ / 2U : allocated_ / 3U;
        move_to(allocated_ == 0 ? 2U
                                : std::min<std::size_t>(allocated_ + std::max<std::size_t>(more, 1U), most));
    }

    // Halves the block as long as an eighth of it would have been enough since the last call.
    void shrink() {
        std::size_t places = allocated_;
        while (places >= 2U * always_kept && needed_ * std::size_t{8} <= places)
            places /= 2;
        if (places < allocated_)
            move_to(places);
        needed_ = count_;
    }

    void move_to(std::size_t places) {
        auto moved = std::make_unique<T[]>(places);
        for (std::size_t i = 0; i < count_; ++i)
            moved[i] = (*this)[i];
        places_ = std::move(moved);
        allocated_ = static_cast<std::uint16_t>(places);
        first_ = 0;
    }

    static constexpr std::uint16_t always_kept = 32; // places

    std::unique_ptr<T[]> places_; // null before the first value
    std::uint16_t allocated_ = 0; // places
    std::uint16_t first_ = 0, count_ = 0;
    std::uint16_t needed_ = 0; // the most values held since the last time round
};

} // namespace iscsiscope
