// SPDX-License-Identifier: GPL-2.0-or-later
// A queue in one block of memory that grows by doubling up to a limit and then loses its oldest.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace iscsiscope {

template <class T>
class BoundedRing {
public:
    // most: a power of two.
    explicit BoundedRing(std::size_t most) : most_(most) {}

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    T &operator[](std::size_t i) { return places_[(first_ + i) & mask_]; }
    const T &operator[](std::size_t i) const { return places_[(first_ + i) & mask_]; }
    T &back() { return (*this)[count_ - 1]; }
    const T &back() const { return (*this)[count_ - 1]; }
    const T &front() const { return places_[first_]; }

    void pop_front() {
        first_ = (first_ + 1) & mask_;
        --count_;
    }

    void push_back(const T &value) {
        if (count_ == allocated()) {
            if (count_ < most_)
                grow();
            else
                pop_front();
        }
        ++count_;
        back() = value;
    }

    void clear() { first_ = count_ = 0; }

private:
    std::size_t allocated() const { return places_ ? mask_ + 1 : 0; }

    void grow() {
        const std::size_t more = places_ ? 2 * allocated() : 2;
        auto larger = std::make_unique<T[]>(more);
        for (std::size_t i = 0; i < count_; ++i)
            larger[i] = (*this)[i];
        places_ = std::move(larger);
        mask_ = more - 1;
        first_ = 0;
    }

    std::size_t most_;
    std::unique_ptr<T[]> places_; // none before the first value
    std::size_t mask_ = 0;        // places less one
    std::size_t first_ = 0, count_ = 0;
};

} // namespace iscsiscope
