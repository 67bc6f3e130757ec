// SPDX-License-Identifier: GPL-2.0-or-later
// Chunked: a vector whose elements stay where they are while it grows, so that it never copies itself. An
// element is found by a shift and a mask, unlike in std::deque, whose blocks hold any number of elements.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace iscsiscope {

template <class T>
class Chunked {
public:
    std::size_t size() const { return size_; }
    T &operator[](std::size_t i) { return chunks_[i / chunk][i % chunk]; }
    const T &operator[](std::size_t i) const { return chunks_[i / chunk][i % chunk]; }
    // Adds a value-initialized element.
    T &emplace_back() {
        if (size_ % chunk == 0)
            chunks_.push_back(std::make_unique<T[]>(chunk));
        return (*this)[size_++];
    }

private:
    static constexpr std::size_t chunk = 128; // a power of two

    std::vector<std::unique_ptr<T[]>> chunks_;
    std::size_t size_ = 0;
};

} // namespace iscsiscope
