// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/figures/area_bins.h"

#include <algorithm>

namespace iscsiscope {
namespace {

template <class T>
void grow_vector(std::vector<T> &bins, std::size_t before, std::size_t behind, std::size_t most) {
    const std::size_t size = bins.size() + before + behind;
    if (size > bins.capacity())
        bins.reserve(std::max(size, std::min(most, 2 * bins.capacity())));
    bins.insert(bins.begin(), before, T{});
    bins.resize(size);
}

template <class T>
void halve_vector(std::vector<T> &bins, std::size_t odd) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        to = (i + odd) / 2;
        const bool first = i == 0 || (i + odd) % 2 == 0;
        bins[to] = first ? bins[i] : static_cast<T>(bins[to] + bins[i]);
    }
    const std::size_t size = bins.empty() ? 0 : bins.size() / 2 + 1;
    bins.resize(std::min(to + 1, bins.size())); // what lies behind becomes 0
    bins.resize(size);
}

} // namespace

void AreaBins::grow(std::size_t before, std::size_t behind, std::size_t most) {
    if (wide_.empty())
        grow_vector(narrow_, before, behind, most);
    else
        grow_vector(wide_, before, behind, most);
}

void AreaBins::halve(bool odd) {
    if (wide_.empty())
        for (std::size_t i = odd ? 1 : 0; i + 1 < narrow_.size(); i += 2)
            if (narrow_[i] > std::numeric_limits<std::uint32_t>::max() - narrow_[i + 1]) {
                widen();
                break;
            }
    if (wide_.empty())
        halve_vector(narrow_, odd ? 1 : 0);
    else
        halve_vector(wide_, odd ? 1 : 0);
}

void AreaBins::widen() {
    wide_.assign(narrow_.begin(), narrow_.end());
    narrow_ = {};
}

} // namespace iscsiscope
