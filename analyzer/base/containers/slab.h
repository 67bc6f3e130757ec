// SPDX-License-Identifier: GPL-2.0-or-later
// Slab: objects with small indices and fixed addresses, which are reused without being freed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace iscsiscope {

// take() returns an object as its last user left it (vectors keep their capacity); the caller initializes it.
template <class T>
class Slab {
public:
    std::uint32_t take() {
        if (free_.empty())
            add_chunk();
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    void give_back(std::uint32_t index) { free_.push_back(index); }

    T &operator[](std::uint32_t index) { return chunks_[index / chunk][index % chunk]; }
    const T &operator[](std::uint32_t index) const { return chunks_[index / chunk][index % chunk]; }

    // Calls f(object) for all objects, those that are not in use too.
    template <class F>
    void each(const F &f) const {
        for (const auto &objects : chunks_)
            std::for_each_n(objects.get(), chunk, f);
    }
    // Returns the number of objects that are in use.
    std::size_t in_use() const { return chunks_.size() * chunk - free_.size(); }

private:
    static constexpr std::uint32_t chunk = 256;

    void add_chunk() {
        const auto first = static_cast<std::uint32_t>(chunks_.size() * chunk);
        chunks_.push_back(std::make_unique<T[]>(chunk));
        for (std::uint32_t i = chunk; i > 0; --i)
            free_.push_back(first + i - 1);
    }

    std::vector<std::unique_ptr<T[]>> chunks_;
    std::vector<std::uint32_t> free_;
};

} // namespace iscsiscope
