// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionTable: maps a pair of endpoints to the slot of the connection that uses it now. It is a flat
// hash table with linear probing, because it is searched for most segments.
#pragma once

#include "analyzer/capture/segment.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace iscsiscope {

// The two endpoints, the smaller first, so that both directions give the same key.
struct ConnectionKey {
    std::array<std::uint64_t, 5> words{};

    ConnectionKey() = default;
    ConnectionKey(const Endpoint &a, const Endpoint &b) {
        const bool ordered = a <= b;
        const Endpoint &low = ordered ? a : b;
        const Endpoint &high = ordered ? b : a;
        std::memcpy(&words[0], low.address.bytes.data(), 16);
        std::memcpy(&words[2], high.address.bytes.data(), 16);
        words[4] = (std::uint64_t{low.port} << 16) | high.port;
    }
    friend bool operator==(const ConnectionKey &, const ConnectionKey &) = default;

    std::uint64_t hash() const {
        std::uint64_t h = 0x9e3779b97f4a7c15ULL;
        for (std::uint64_t w : words) {
            h = (h ^ w) * 0xff51afd7ed558ccdULL;
            h ^= h >> 32;
        }
        return h;
    }
};

class ConnectionTable {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t find(const ConnectionKey &key) const { // `none` if the key is not in the table
        if (places_.empty())
            return none;
        for (std::uint64_t i = key.hash() & mask();; i = (i + 1) & mask()) {
            if (places_[i].slot == none)
                return none;
            if (places_[i].key == key)
                return places_[i].slot;
        }
    }

    // The key must not be in the table.
    void insert(const ConnectionKey &key, std::uint32_t slot) {
        if ((count_ + 1) * 4 > places_.size() * 3)
            grow();
        std::uint64_t i = key.hash() & mask();
        while (places_[i].slot != none)
            i = (i + 1) & mask();
        places_[i] = {key, slot};
        ++count_;
    }

    // The key must be in the table. Closes the gap by moving later entries of the probe run back.
    void erase(const ConnectionKey &key) {
        std::uint64_t i = key.hash() & mask();
        while (!(places_[i].key == key && places_[i].slot != none))
            i = (i + 1) & mask();
        for (std::uint64_t j = (i + 1) & mask(); places_[j].slot != none; j = (j + 1) & mask()) {
            const std::uint64_t home = places_[j].key.hash() & mask();
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
        ConnectionKey key;
        std::uint32_t slot = none;
    };

    std::uint64_t mask() const { return places_.size() - 1; }

    void grow() {
        std::vector<Place> old = std::move(places_);
        places_.assign(old.empty() ? 64 : old.size() * 2, Place{});
        count_ = 0;
        for (const Place &p : old)
            if (p.slot != none)
                insert(p.key, p.slot);
    }

    std::vector<Place> places_;
    std::size_t count_ = 0;
};

} // namespace iscsiscope
