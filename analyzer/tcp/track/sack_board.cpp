// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/track/sack_board.h"

#include <algorithm>

namespace iscsiscope {

bool SackBoard::add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end)
        return false;
    // The new range touches the ranges [first, last).
    const auto first = std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                                        [](const Range &r, std::uint64_t b) { return r.end < b; });
    auto last = first;
    std::uint64_t held = 0;
    while (last != ranges_.end() && last->begin <= end) {
        begin = std::min(begin, last->begin);
        end = std::max(end, last->end);
        held += last->end - last->begin;
        ++last;
    }
    if (end - begin == held && last - first == 1)
        return false;
    if (first == last) {
        if (ranges_.size() == max_ranges)
            return false;
        ranges_.insert(first, {begin, end, not_counted});
    } else {
        *first = {begin, end, not_counted};
        ranges_.erase(first + 1, last);
    }
    bytes_ += (end - begin) - held;
    return true;
}

bool SackBoard::acknowledged(std::uint64_t offset) {
    bool changed = false;
    auto r = ranges_.begin();
    for (; r != ranges_.end() && r->end <= offset; ++r)
        bytes_ -= r->end - r->begin;
    if (r != ranges_.begin()) {
        r = ranges_.erase(ranges_.begin(), r);
        changed = true;
    }
    if (r != ranges_.end() && r->begin < offset) {
        bytes_ -= offset - r->begin;
        r->begin = offset;
        r->packets = not_counted;
        changed = true;
    }
    return changed;
}

} // namespace iscsiscope
