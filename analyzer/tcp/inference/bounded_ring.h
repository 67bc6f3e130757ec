// SPDX-License-Identifier: GPL-2.0-or-later
// A queue in one block of memory that grows by doubling up to a limit and then loses its oldest.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace iscsiscope {

template <class T>
class BoundedRing {
public:
    // most: a power of two.
    explicit BoundedRing(std::size_t most) : most_(most) {}

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    T &operator[](std::size_t i) { return places_[(first_ + i) & (places_.size() - 1)]; }
    const T &operator[](std::size_t i) const { return places_[(first_ + i) & (places_.size() - 1)]; }
    T &back() { return (*this)[count_ - 1]; }
    const T &back() const { return (*this)[count_ - 1]; }
    const T &front() const { return (*this)[0]; }

    void pop_front() {
        first_ = (first_ + 1) & (places_.size() - 1);
        --count_;
    }

    void push_back(const T &value) {
        if (count_ == places_.size()) {
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
    void grow() {
        std::vector<T> larger(places_.empty() ? 8 : places_.size() * 2);
        for (std::size_t i = 0; i < count_; ++i)
            larger[i] = (*this)[i];
        places_ = std::move(larger);
        first_ = 0;
    }

    std::size_t most_;
    std::vector<T> places_;
    std::size_t first_ = 0, count_ = 0;
};

} // namespace iscsiscope
