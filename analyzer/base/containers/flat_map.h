// SPDX-License-Identifier: GPL-2.0-or-later
// FlatMap: a hash table from 64-bit keys to 32-bit values, for the task tags of busy sessions.
#pragma once

#include "analyzer/base/containers/keyed_hash.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace iscsiscope {

// Open addressing with linear probing. erase() closes the hole that it leaves, so that the table needs no
// tombstones. An entry takes about 18 bytes.
class FlatMap {
public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    // Returns `none` if the key is absent.
    std::uint32_t find(std::uint64_t key) const {
        if (size_ == 0)
            return none;
        return values_[place_of(key)];
    }

    // value must not be `none`.
    void set(std::uint64_t key, std::uint32_t value) {
        if ((size_ + 1) * 8 > values_.size() * 7)
            grow();
        const std::size_t at = place_of(key);
        if (values_[at] == none)
            ++size_;
        keys_[at] = key;
        values_[at] = value;
    }

    void erase(std::uint64_t key) {
        if (size_ == 0)
            return;
        std::size_t hole = place_of(key);
        if (values_[hole] == none)
            return;
        --size_;
        for (std::size_t next = (hole + 1) & mask();; next = (next + 1) & mask()) {
            if (values_[next] == none)
                break;
            // An entry may move into the hole unless its home lies between the hole and itself.
            const std::size_t home = hash(keys_[next]) & mask();
            if (((next - home) & mask()) >= ((next - hole) & mask())) {
                keys_[hole] = keys_[next];
                values_[hole] = values_[next];
                hole = next;
            }
        }
        values_[hole] = none;
    }

    std::size_t size() const { return size_; }

private:
    std::size_t mask() const { return values_.size() - 1; }

    static std::size_t hash(std::uint64_t key) { return static_cast<std::size_t>(keyed_hash(key)); }

    std::size_t place_of(std::uint64_t key) const {
        std::size_t at = hash(key) & mask();
        while (values_[at] != none && keys_[at] != key)
            at = (at + 1) & mask();
        return at;
    }

    void grow() {
        std::vector<std::uint64_t> keys(values_.empty() ? 64 : values_.size() * 2);
        std::vector<std::uint32_t> values(keys.size(), none);
        keys.swap(keys_);
        values.swap(values_);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] == none)
                continue;
            const std::size_t at = place_of(keys[i]);
            keys_[at] = keys[i];
            values_[at] = values[i];
        }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> values_;
    std::size_t size_ = 0;
};

} // namespace iscsiscope
