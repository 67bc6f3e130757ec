// SPDX-License-Identifier: GPL-2.0-or-later
// RunningMax: the maximum of the values of a recent time window. It keeps the maxima of two halves of the
// window, so that the value covers between one half and the whole of it.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <cstdint>

namespace iscsiscope {

class RunningMax {
public:
    void add(Time now, std::uint64_t value, Duration window) {
        if (begin_ == never || now - begin_ > window) {
            before_ = current_ = 0;
            begin_ = now;
        } else if (now - begin_ > window / 2) {
            before_ = current_;
            current_ = 0;
            begin_ = now;
        }
        current_ = std::max(current_, value);
    }
    std::uint64_t value() const { return std::max(before_, current_); }
    void reset() { before_ = current_ = 0; }

private:
    static constexpr Time never = Time::min(); // no value yet
    Time begin_ = never;
    std::uint64_t before_ = 0, current_ = 0;
};

} // namespace iscsiscope
