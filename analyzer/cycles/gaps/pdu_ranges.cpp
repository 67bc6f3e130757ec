// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/pdu_ranges.h"

namespace iscsiscope {

void PduRanges::push(std::uint64_t start, std::uint64_t end, TaskRef task, PduRole role,
                     std::uint64_t acked) {
    if (start > end_ && size_ != 0)
        add({end_, {}, no_task, PduRole::none}, acked); // bytes skipped while PDU boundaries were lost
    add({start, task.cycle, task.index, role}, acked);
    end_ = end;
}

void PduRanges::add(const PduRange &range, std::uint64_t acked) {
    if (size_ == ring_.size()) {
        while (ring_.size() >= not_dropped && size_ > 1 && entry(1).start <= acked) {
            ++first_;
            --size_;
        }
        if (size_ == limit) {
            ++first_;
            --size_;
        }
        if (size_ == ring_.size()) {
            std::vector<PduRange> larger(ring_.empty() ? 2 : ring_.size() * 2);
            for (std::size_t i = 0; i < size_; ++i)
                larger[i] = entry(i);
            ring_.swap(larger);
            first_ = 0;
        }
    }
    ring_[(first_ + size_) & (ring_.size() - 1)] = range;
    ++size_;
}

std::size_t PduRanges::index_of(std::uint64_t offset) const {
    std::size_t low = 0, high = size_;
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (entry(middle).start <= offset ? low : high) = middle;
    }
    return low;
}

const PduRange *PduRanges::at(std::uint64_t offset) const {
    if (size_ == 0 || offset >= end_ || offset < entry(0).start)
        return nullptr;
    return &entry(index_of(offset));
}

} // namespace iscsiscope
