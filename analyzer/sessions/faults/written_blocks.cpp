// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/faults/written_blocks.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

constexpr unsigned max_level = 40;

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

void merge(WrittenRange &into, const WrittenRange &write) {
    if (write.first_start < into.first_start) {
        into.first_start = write.first_start;
        into.first_end = write.first_end;
        into.first_frame = write.first_frame;
    }
    if (write.last_start >= into.last_start) {
        into.last_start = write.last_start;
        into.last_end = write.last_end;
        into.last_frame = write.last_frame;
    }
    into.first_read = std::min(into.first_read, write.first_read);
    into.last_read = std::max(into.last_read, write.last_read);
}

} // namespace

// The first two regions hold what every host writes: partition table and the head of a file system.
bool WrittenBlocks::kept(std::uint64_t region) const {
    return region < 2 || (mixed(region) & ((std::uint64_t{1} << level_) - 1)) == 0;
}

void WrittenBlocks::add(std::uint64_t from, const WrittenRange &write) {
    if (write.end <= from)
        return;
    const std::uint64_t end = std::min(write.end, from + std::min(max_blocks, write.end - from));
    while (from < end) {
        constexpr std::uint64_t size = std::uint64_t{1} << region_shift;
        WrittenRange piece = write;
        piece.end = from + std::min(end - from, size - from % size);
        note_reads(from, piece);
        if (kept(from >> region_shift))
            put(from, piece);
        from = piece.end;
    }
    while (ranges_.size() > max_ranges && level_ < max_level)
        thin();
}

void WrittenBlocks::read(std::uint64_t from, std::uint64_t end, Time time) {
    for (auto i = ranges_.lower_bound(from); i != ranges_.end() && i->first < end; ++i) {
        i->second.first_read = std::min(i->second.first_read, time);
        i->second.last_read = std::max(i->second.last_read, time);
    }
    reads_[next_read_++ % reads_.size()] = {from, end, time};
}

void WrittenBlocks::note_reads(std::uint64_t from, WrittenRange &range) const {
    for (const RecentRead &r : reads_)
        if (r.from <= from && from < r.end) {
            range.first_read = std::min(range.first_read, r.time);
            range.last_read = std::max(range.last_read, r.time);
        }
}

void WrittenBlocks::put(std::uint64_t from, const WrittenRange &write) {
    // No thinning helps where the first two regions alone are more than that.
    if (level_ == max_level && ranges_.size() >= max_ranges)
        return;
    divide(from);
    divide(write.end);
    std::uint64_t at = from;
    for (auto i = ranges_.lower_bound(from); i != ranges_.end() && i->first < write.end; ++i) {
        if (i->first > at)
            ranges_.emplace_hint(i, at, write)->second.end = i->first;
        merge(i->second, write);
        at = i->second.end;
    }
    if (at < write.end)
        ranges_.emplace(at, write);
}

void WrittenBlocks::divide(std::uint64_t at) {
    auto i = ranges_.upper_bound(at);
    if (i == ranges_.begin())
        return;
    --i;
    if (i->first == at || i->second.end <= at)
        return;
    const WrittenRange rest = i->second;
    i->second.end = at;
    ranges_.emplace(at, rest);
}

void WrittenBlocks::thin() {
    ++level_;
    std::erase_if(ranges_, [this](const auto &r) { return !kept(r.first >> region_shift); });
}

} // namespace iscsiscope
