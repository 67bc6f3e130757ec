// SPDX-License-Identifier: GPL-2.0-or-later
// Fifo: a queue in one vector. It allocates nothing before the first push(), and little while it is short.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace iscsiscope {

template <class T>
class Fifo {
public:
    bool empty() const { return head_ == items_.size(); }
    std::size_t size() const { return items_.size() - head_; }
    T &front() { return items_[head_]; }
    T &back() { return items_.back(); }
    T &operator[](std::size_t i) { return items_[head_ + i]; }
    const T &operator[](std::size_t i) const { return items_[head_ + i]; }

    void push(T value) {
        // The free space in front is closed when it is half of the vector: constant time on average.
        if (head_ != 0 && items_.size() == items_.capacity() && head_ * 2 >= items_.size())
            compact();
        items_.push_back(std::move(value));
    }
    void pop() {
        if (++head_ == items_.size())
            clear();
    }
    // Empties the queue and frees its memory.
    void release() { *this = Fifo{}; }
    void clear() {
        items_.clear();
        head_ = 0;
    }

private:
    void compact() {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }

    std::vector<T> items_;
    std::size_t head_ = 0;
};

} // namespace iscsiscope
