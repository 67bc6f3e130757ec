// SPDX-License-Identifier: GPL-2.0-or-later
// UnseenRanges: the latest bytes of one direction that no frame holds, so that what a search passes over is
// counted without them. Of more than `max_ranges` the older half is forgotten.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace iscsiscope {

class UnseenRanges {
public:
    static constexpr std::size_t max_ranges = 1024;

    // In the order of the stream.
    void add(std::uint64_t begin, std::uint64_t end) {
        if (!ranges_)
            ranges_ = std::make_unique<std::vector<Range>>();
        if (!ranges_->empty() && ranges_->back().end == begin) {
            ranges_->back().end = end;
            return;
        }
        if (ranges_->size() == max_ranges)
            ranges_->erase(ranges_->begin(), ranges_->begin() + max_ranges / 2);
        ranges_->push_back({begin, end});
    }
    // How many bytes from one offset to another frames hold.
    std::uint64_t seen(std::uint64_t from, std::uint64_t to) const {
        std::uint64_t bytes = to - std::min(from, to);
        if (!ranges_)
            return bytes;
        for (const Range &r : *ranges_)
            if (r.begin < to && r.end > from)
                bytes -= std::min(r.end, to) - std::max(r.begin, from);
        return bytes;
    }

private:
    struct Range {
        std::uint64_t begin = 0, end = 0;
    };
    std::unique_ptr<std::vector<Range>> ranges_; // null: none
};

} // namespace iscsiscope
