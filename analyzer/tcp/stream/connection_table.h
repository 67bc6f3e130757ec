// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionTable: finds the slot of the connection that uses a pair of endpoints now. It is a flat hash
// table with linear probing, because it is searched for most segments. It keeps no endpoints: the slots'
// owner says whether a slot has those that are looked for.
#pragma once

#include "analyzer/base/containers/keyed_hash.h"
#include "analyzer/capture/segment.h"

#include <compare>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace iscsiscope {

// The same for both directions.
inline std::uint32_t hash_of_pair(const Endpoint &a, const Endpoint &b) {
    struct Words {
        std::uint64_t high = 0, low = 0, port = 0;
        auto operator<=>(const Words &) const = default;
    };
    const auto of = [](const Endpoint &e) {
        Words w;
        std::memcpy(&w.high, e.address.bytes.data(), sizeof w.high);
        std::memcpy(&w.low, e.address.bytes.data() + sizeof w.high, sizeof w.low);
        w.port = e.port;
        return w;
    };
    const Words one = of(a), other = of(b);
    const auto &[first, second] = one < other ? std::pair(one, other) : std::pair(other, one);
    return static_cast<std::uint32_t>(
        keyed_hash(first.high, first.low, second.high, second.low, first.port << 16U | second.port));
}

class ConnectionTable {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // is(slot): whether the slot has the endpoints that are looked for. Returns `none` if no slot has.
    template <class Is>
    std::uint32_t find(std::uint32_t hash, Is is) const {
        if (places_.empty())
            return none;
        for (std::size_t i = hash & mask(); places_[i].slot != none; i = (i + 1) & mask())
            if (places_[i].hash == hash && is(places_[i].slot))
                return places_[i].slot;
        return none;
    }

    // The slot must not be in the table.
    void insert(std::uint32_t hash, std::uint32_t slot) {
        if ((count_ + 1) * 4 > places_.size() * 3)
            grow();
        std::size_t i = hash & mask();
        while (places_[i].slot != none)
            i = (i + 1) & mask();
        places_[i] = {hash, slot};
        ++count_;
    }

    // The slot must be in the table with this hash. Closes the gap by moving later entries of the probe run
    // back.
    void erase(std::uint32_t hash, std::uint32_t slot) {
        std::size_t i = hash & mask();
        while (places_[i].slot != slot)
            i = (i + 1) & mask();
        for (std::size_t j = (i + 1) & mask(); places_[j].slot != none; j = (j + 1) & mask()) {
            const std::size_t home = places_[j].hash & mask();
            if (((j - home) & mask()) >= ((j - i) & mask())) {
                places_[i] = places_[j];
                i = j;
            }
        }
        places_[i].slot = none;
        --count_;
    }

    std::size_t size() const { return count_; }

private:
    struct Place {
        std::uint32_t hash = 0;
        std::uint32_t slot = none;
    };

    std::size_t mask() const { return places_.size() - 1; }

    void grow() {
        std::vector<Place> old = std::move(places_);
        places_.assign(old.empty() ? 64 : old.size() * 2, Place{});
        count_ = 0;
        for (const Place &p : old)
            if (p.slot != none)
                insert(p.hash, p.slot);
    }

    std::vector<Place> places_;
    std::size_t count_ = 0;
};

} // namespace iscsiscope
