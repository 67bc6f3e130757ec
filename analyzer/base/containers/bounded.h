// SPDX-License-Identifier: GPL-2.0-or-later
// Maps of at most so many keys: find_or_add(), and Latest for records that mostly have the key of the one
// before.
#pragma once

#include <cstddef>

namespace iscsiscope {

// Returns the value of the key, which is new if there are fewer than `most`; else null.
template <class Map>
typename Map::mapped_type *find_or_add(Map &map, const typename Map::key_type &key, std::size_t most) {
    if (const auto at = map.find(key); at != map.end())
        return &at->second;
    return map.size() < most ? &map.try_emplace(key).first->second : nullptr;
}

// Remembers the element found last, of a map that keeps its elements in place and erases none.
template <class Map>
class Latest {
public:
    // As find_or_add().
    typename Map::mapped_type *find_or_add(Map &map, const typename Map::key_type &key, std::size_t most) {
        if (last_ != nullptr && last_->first == key)
            return &last_->second;
        auto at = map.find(key);
        if (at == map.end()) {
            if (map.size() >= most)
                return nullptr;
            at = map.try_emplace(key).first;
        }
        last_ = &*at;
        return &at->second;
    }

private:
    typename Map::value_type *last_ = nullptr;
};

} // namespace iscsiscope
