// SPDX-License-Identifier: GPL-2.0-or-later
// ByIndex: states by the index of what they are of; eight bytes of one that has none.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace iscsiscope {

template <class State>
class ByIndex {
public:
    State &of(std::size_t index) {
        if (index >= all_.size())
            all_.resize(index + 1);
        if (!all_[index])
            all_[index] = std::make_unique<State>();
        return *all_[index];
    }
    // Null if there is none.
    State *find(std::size_t index) const { return index < all_.size() ? all_[index].get() : nullptr; }
    void drop(std::size_t index) {
        if (index < all_.size())
            all_[index].reset();
    }

private:
    std::vector<std::unique_ptr<State>> all_;
};

} // namespace iscsiscope
