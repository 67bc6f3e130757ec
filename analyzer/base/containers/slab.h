// SPDX-License-Identifier: GPL-2.0-or-later
// Slab: objects with small indices and fixed addresses, which are reused without being freed. Several threads
// may use it at a time, each the objects that it took or was given.
#pragma once

#include "analyzer/base/containers/spin_lock.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace iscsiscope {

// take() returns an object as its last user left it (vectors keep their capacity); the caller initializes it.
template <class T>
class Slab {
public:
    std::uint32_t take() {
        const std::lock_guard held(lock_);
        if (free_.empty())
            add_chunk();
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    void give_back(std::uint32_t index) {
        const std::lock_guard held(lock_);
        free_.push_back(index);
    }

    T &operator[](std::uint32_t index) { return places()[index / chunk][index % chunk]; }
    const T &operator[](std::uint32_t index) const { return places()[index / chunk][index % chunk]; }

    // Calls f(object) for all objects, those that are not in use too. No other thread may use them.
    template <class F>
    void each(const F &f) const {
        for (const auto &objects : chunks_)
            std::for_each_n(objects.get(), chunk, f);
    }
    // Returns the number of objects that are in use.
    std::size_t in_use() const { return chunks_.size() * chunk - free_.size(); }

private:
    static constexpr std::uint32_t chunk = 256;
    using Places = std::unique_ptr<T *[]>; // of the chunks

    T *const *places() const { return current_.load(std::memory_order_acquire); }

    void add_chunk() {
        const std::size_t n = chunks_.size();
        chunks_.push_back(std::make_unique<T[]>(chunk));
        if (n == room_) {
            room_ = room_ == 0 ? 16 : 2 * room_;
            Places larger = std::make_unique<T *[]>(room_);
            std::copy_n(n == 0 ? nullptr : places_.back().get(), n, larger.get());
            places_.push_back(std::move(larger));
        }
        places_.back()[n] = chunks_.back().get();
        current_.store(places_.back().get(), std::memory_order_release);
        const auto first = static_cast<std::uint32_t>(n * chunk);
        for (std::uint32_t i = chunk; i > 0; --i)
            free_.push_back(first + i - 1);
    }

    std::vector<std::unique_ptr<T[]>> chunks_;
    // The last one is in use. Another thread may still look something up in those before it, which are
    // smaller.
    std::vector<Places> places_;
    std::atomic<T *const *> current_{nullptr};
    std::size_t room_ = 0; // of the last of places_
    std::vector<std::uint32_t> free_;
    SpinLock lock_;
};

} // namespace iscsiscope
