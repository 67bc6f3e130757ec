// SPDX-License-Identifier: GPL-2.0-or-later
// greatest_of(): the element of a range with the greatest key.
#pragma once

#include <functional>
#include <optional>

namespace iscsiscope {

// Returns the first element whose key is greatest; null if there is none. A key may be an optional: elements
// whose key is empty are passed over.
template <class Range, class Key>
auto greatest_of(const Range &all, Key key) -> decltype(&*all.begin()) {
    decltype(&*all.begin()) found = nullptr;
    decltype(std::optional(std::invoke(key, *all.begin()))) most;
    for (const auto &each : all)
        if (const std::optional value = std::invoke(key, each); value && (!most || *most < *value)) {
            most = value;
            found = &each;
        }
    return found;
}

} // namespace iscsiscope
