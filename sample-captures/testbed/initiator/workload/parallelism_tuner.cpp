// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/parallelism_tuner.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::testbed::initiator {

namespace {

// ν of the golden section.
const double nu = (3.0 - std::sqrt(5.0)) / 2.0;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

} // namespace

ParallelismTuner::ParallelismTuner(Settings settings) : settings_(settings) {
    settings_.maximum = std::max(settings_.maximum, 1U);
    settings_.initial = std::clamp(settings_.initial, 1U, settings_.maximum);
    settings_.k = std::max(settings_.k, 2U);
    settings_.l = std::max(settings_.l, 1U);
    settings_.m = std::max(settings_.m, 1U);
    settings_.samples = std::max(settings_.samples, 1U);
    settings_.margin = std::clamp(settings_.margin, 0.0, 0.5);
    current_ = settings_.initial;
}

void ParallelismTuner::measured(double g) {
    if (stage_ == Stage::settled)
        return;
    samples_.push_back(g);
    if (samples_.size() < settings_.samples)
        return;
    const Point now{current_, median(std::move(samples_))};
    samples_.clear();
    points_.push_back(now);
    if (stage_ == Stage::bracketing)
        bracketing_step(now);
    else
        narrow(now);
}

void ParallelismTuner::restart(Step direction) {
    if (stage_ != Stage::settled && !points_.empty())
        current_ = std::max_element(points_.begin(), points_.end(), [](const Point &a, const Point &b) {
                       return a.g < b.g;
                   })->n;
    stage_ = Stage::bracketing;
    step_ = direction;
    turned_ = false;
    samples_.clear();
    points_.clear();
    before_.reset();
    previous_.reset();
    bracket_.reset();
}

// The next N of stage 1; 0 and maximum + 1 are the points known without measuring.
unsigned ParallelismTuner::stepped(unsigned n) const {
    const unsigned beyond = settings_.maximum + 1;
    const auto lowered = [n](unsigned by) { return n > by ? n - by : 0U; };
    switch (step_) {
    case Step::multiply:
        return turned_ ? n / settings_.k : (n > settings_.maximum / settings_.k ? beyond : n * settings_.k);
    case Step::raise:
        return turned_ ? lowered(settings_.l) : std::min(n + settings_.l, beyond);
    case Step::lower:
        return turned_ ? std::min(n + settings_.m, beyond) : lowered(settings_.m);
    }
    return n;
}

// `now` is worth going to from `than`.
bool ParallelismTuner::better(const Point &now, const Point &than) const {
    if (settings_.margin <= 0 || now.n > than.n)
        return now.g > than.g * (1 + settings_.margin);
    // Against the best of the search: small steps down must not add up.
    const auto best = std::max_element(points_.begin(), points_.end(),
                                       [](const Point &a, const Point &b) { return a.g < b.g; });
    return best != points_.end() && now.n > 0 && now.g >= best->g * (1 - settings_.margin);
}

void ParallelismTuner::bracketing_step(Point now) {
    // "until G(N) < G(previous)": the last three, sorted, are the bracket.
    while (true) {
        const bool fell =
            previous_ && (settings_.margin > 0 ? !better(now, *previous_) : now.g < previous_->g);
        if (fell && before_) {
            bracket_ = Bracket{*before_, *previous_, now};
            if (bracket_->l.n > bracket_->r.n)
                std::swap(bracket_->l, bracket_->r);
            stage_ = Stage::narrowing;
            probe_or_settle();
            return;
        }
        if (fell) {
            // The first step fell: what is known of this side becomes the far point of the other.
            turned_ = !turned_;
            before_ = now;
            now = *previous_;
        } else {
            before_ = previous_;
        }
        previous_ = now;
        const unsigned next = stepped(now.n);
        // A step that would leave the range is clipped to its last point, if that is still ahead.
        unsigned inside = std::clamp(next, 1U, settings_.maximum);
        if (inside != now.n) {
            current_ = inside;
            return;
        }
        now = Point{next, next == 0 ? 0.0 : -1.0};
    }
}

void ParallelismTuner::narrow(Point now) {
    auto &[l, m, r] = *bracket_;
    if (better(now, m)) {
        (m.n < now.n ? l : r) = m;
        m = now;
    } else {
        (m.n < now.n ? r : l) = now;
    }
    probe_or_settle();
}

void ParallelismTuner::probe_or_settle() {
    const auto &[l, m, r] = *bracket_;
    if (m.n - l.n <= 1 && r.n - m.n <= 1) {
        stage_ = Stage::settled;
        current_ = m.n;
        return;
    }
    current_ = interior_point();
}

unsigned ParallelismTuner::interior_point() const {
    // The longer part spans at least 2, and 2ν = 0.76 rounds to 1: the point is never l, m or r.
    const auto &[l, m, r] = *bracket_;
    const double left = m.n - l.n;
    const double right = r.n - m.n;
    if (left > right) {
        const double n = settings_.left_point == LeftPoint::paper ? l.n + left * nu : m.n - left * nu;
        return static_cast<unsigned>(std::lround(n));
    }
    return static_cast<unsigned>(std::lround(m.n + right * nu));
}

} // namespace iscsiscope::testbed::initiator
