// SPDX-License-Identifier: GPL-2.0-or-later
// MinMaxPyramid holds the least and the greatest value of runs of 8, 64, 512 … rows of a series in order of
// time. A picture needs a few nodes for each pixel, whatever the size of the series.
#pragma once

#include "analyzer/base/time.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace iscsiscope::gui {

inline constexpr std::size_t fanOut = 8;

struct MinMaxNode {
    Time start; // time of its first row
    float least = std::numeric_limits<float>::infinity(), greatest = -std::numeric_limits<float>::infinity();
    bool empty() const { return least > greatest; }
};

class MinMaxPyramid {
public:
    // Adds a row; rows come in order of time. known false: the row has no value.
    void add(Time time, bool known, float value);
    void finish(); // no more rows

    std::size_t rows() const { return rows_; }
    std::size_t levels() const { return levels_.size(); }
    // Level 0 has a node for each 8 rows.
    const std::vector<MinMaxNode> &level(std::size_t i) const { return levels_[i]; }
    // The coarsest level with at least `least` nodes that begin in [from, to); levels(): the rows themselves.
    std::size_t levelFor(Time from, Time to, std::size_t least) const;
    // Nodes of a level that reach into [from, to).
    std::pair<std::size_t, std::size_t> nodesIn(std::size_t level, Time from, Time to) const;
    std::size_t memory() const;

private:
    void close(std::size_t level);

    std::vector<std::vector<MinMaxNode>> levels_;
    MinMaxNode open_;
    std::size_t rows_ = 0, inOpen_ = 0;
};

} // namespace iscsiscope::gui
