// SPDX-License-Identifier: GPL-2.0-or-later
// The views that the user has left, to go back and forth between them.
#pragma once

#include "gui/document/stores/time_scale.h"

#include <optional>
#include <vector>

namespace iscsiscope::gui {

class ViewHistory {
public:
    // Notes the view that is left for another.
    void leave(Interval view) {
        if (back_.empty() || back_.back() != view)
            back_.push_back(view);
        if (back_.size() > most)
            back_.erase(back_.begin());
        forward_.clear();
    }
    std::optional<Interval> back(Interval now) { return move(back_, forward_, now); }
    std::optional<Interval> forward(Interval now) { return move(forward_, back_, now); }
    void clear() {
        back_.clear();
        forward_.clear();
    }

private:
    static constexpr std::size_t most = 200;
    static std::optional<Interval> move(std::vector<Interval> &from, std::vector<Interval> &to,
                                        Interval now) {
        while (!from.empty()) {
            const Interval v = from.back();
            from.pop_back();
            if (v != now) {
                to.push_back(now);
                return v;
            }
        }
        return std::nullopt;
    }
    std::vector<Interval> back_, forward_;
};

} // namespace iscsiscope::gui
