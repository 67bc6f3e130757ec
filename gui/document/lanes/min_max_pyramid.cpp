// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/lanes/min_max_pyramid.h"

#include <algorithm>

namespace iscsiscope::gui {

void MinMaxPyramid::add(Time time, bool known, float value) {
    if (inOpen_ == 0) {
        open_ = MinMaxNode{};
        open_.start = time;
    }
    if (known) {
        open_.least = std::min(open_.least, value);
        open_.greatest = std::max(open_.greatest, value);
    }
    ++rows_;
    if (++inOpen_ == fanOut)
        close(0);
}

void MinMaxPyramid::close(std::size_t level) {
    if (levels_.size() == level)
        levels_.emplace_back();
    levels_[level].push_back(open_);
    inOpen_ = 0;
}

void MinMaxPyramid::finish() {
    if (inOpen_ > 0)
        close(0);
    while (!levels_.empty() && levels_.back().size() > fanOut) {
        const std::vector<MinMaxNode> &below = levels_.back();
        std::vector<MinMaxNode> above;
        above.reserve(below.size() / fanOut + 1);
        for (std::size_t i = 0; i < below.size(); i += fanOut) {
            MinMaxNode n = below[i];
            for (std::size_t j = i + 1; j < std::min(i + fanOut, below.size()); ++j) {
                n.least = std::min(n.least, below[j].least);
                n.greatest = std::max(n.greatest, below[j].greatest);
            }
            above.push_back(n);
        }
        levels_.push_back(std::move(above));
    }
    for (auto &level : levels_)
        level.shrink_to_fit();
}

std::pair<std::size_t, std::size_t> MinMaxPyramid::nodesIn(std::size_t level, Time from, Time to) const {
    const auto &nodes = levels_[level];
    const auto before = [](const MinMaxNode &n, Time t) { return n.start < t; };
    auto first = std::lower_bound(nodes.begin(), nodes.end(), from, before);
    const auto last = std::lower_bound(first, nodes.end(), to, before);
    if (first != nodes.begin())
        --first; // begins before, reaches in
    return {static_cast<std::size_t>(first - nodes.begin()), static_cast<std::size_t>(last - nodes.begin())};
}

std::size_t MinMaxPyramid::levelFor(Time from, Time to, std::size_t least) const {
    for (std::size_t i = levels_.size(); i-- > 0;) {
        const auto [first, last] = nodesIn(i, from, to);
        if (last - first >= least)
            return i;
    }
    return levels_.size();
}

std::size_t MinMaxPyramid::memory() const {
    std::size_t sum = 0;
    for (const auto &level : levels_)
        sum += level.capacity() * sizeof(MinMaxNode);
    return sum;
}

} // namespace iscsiscope::gui
