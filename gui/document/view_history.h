// SPDX-License-Identifier: GPL-2.0-or-later
// The views that the user has left, to go back and forth between them. Small steps that follow each other
// within half a second (wheel, keys), and all steps of a drag, are one gesture: going back undoes it as a
// whole.
#pragma once

#include "gui/document/stores/time_scale.h"

#include <optional>
#include <vector>

namespace iscsiscope::gui {

class ViewHistory {
public:
    static constexpr std::int64_t gestureGap = 500; // ms

    // Notes the view that is left for another.
    void leave(Interval view) {
        lastStep_.reset();
        note(view);
    }
    // Notes the view that a small step leaves, unless the step continues a gesture. now: ms of any clock that
    // does not run backwards.
    void step(Interval view, std::int64_t now) {
        if (!inGesture(now))
            note(view);
        if (held_)
            heldMoved_ = true;
        lastStep_ = now;
    }
    // Between hold() and release() all steps are one gesture, however long they take.
    void hold() {
        held_ = true;
        heldMoved_ = false;
        lastStep_.reset();
    }
    void release() {
        held_ = false;
        lastStep_.reset();
    }
    bool inGesture(std::int64_t now) const {
        return held_ ? heldMoved_ : lastStep_ && now - *lastStep_ <= gestureGap;
    }

    std::optional<Interval> back(Interval now) { return move(back_, forward_, now); }
    std::optional<Interval> forward(Interval now) { return move(forward_, back_, now); }
    void clear() {
        back_.clear();
        forward_.clear();
        lastStep_.reset();
    }

private:
    static constexpr std::size_t most = 200;
    void note(Interval view) {
        if (back_.empty() || back_.back() != view)
            back_.push_back(view);
        if (back_.size() > most)
            back_.erase(back_.begin());
        forward_.clear();
    }
    std::optional<Interval> move(std::vector<Interval> &from, std::vector<Interval> &to, Interval now) {
        lastStep_.reset(); // a step after going back is a gesture of its own
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
    std::optional<std::int64_t> lastStep_; // ms; empty: the next step begins a gesture
    bool held_ = false, heldMoved_ = false;
};

} // namespace iscsiscope::gui
