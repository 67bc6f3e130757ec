// SPDX-License-Identifier: GPL-2.0-or-later
// StripedMap: FlatMaps for several threads at a time, which rarely want the same one.
#pragma once

#include "analyzer/base/containers/flat_map.h"
#include "analyzer/base/containers/spin_lock.h"

#include <array>
#include <cstdint>
#include <mutex>

namespace iscsiscope {

// of: what the key belongs to. Keys of the same owner lie in the same map.
class StripedMap {
public:
    std::uint32_t find(std::uint64_t of, std::uint64_t key) const {
        const Stripe &s = stripe(of);
        const std::lock_guard held(s.lock);
        return s.map.find(key);
    }
    // value must not be FlatMap::none.
    void set(std::uint64_t of, std::uint64_t key, std::uint32_t value) {
        Stripe &s = stripe(of);
        const std::lock_guard held(s.lock);
        s.map.set(key, value);
    }
    void erase(std::uint64_t of, std::uint64_t key) {
        Stripe &s = stripe(of);
        const std::lock_guard held(s.lock);
        s.map.erase(key);
    }
    // Only where the key has this value.
    void erase(std::uint64_t of, std::uint64_t key, std::uint32_t value) {
        Stripe &s = stripe(of);
        const std::lock_guard held(s.lock);
        if (s.map.find(key) == value)
            s.map.erase(key);
    }

private:
    static constexpr std::size_t count = 64;
    struct alignas(64) Stripe {
        mutable SpinLock lock;
        FlatMap map;
    };
    Stripe &stripe(std::uint64_t of) { return stripes_[of % count]; }
    const Stripe &stripe(std::uint64_t of) const { return stripes_[of % count]; }

    std::array<Stripe, count> stripes_;
};

} // namespace iscsiscope
