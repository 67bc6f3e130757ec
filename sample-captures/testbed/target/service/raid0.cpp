// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/service/raid0.h"

#include <algorithm>

namespace iscsiscope::testbed {

Raid0::Raid0(const Raid0Shape &shape, std::uint64_t seed)
    : shape_(shape),
      held_(static_cast<std::size_t>(shape.cache / std::max<std::uint64_t>(shape.stripe_unit, 1))) {
    shape_.stripe_unit = std::max<std::uint64_t>(shape_.stripe_unit, 512);
    shape_.disks = std::max<std::uint32_t>(shape_.disks, 1);
    DiskShape each = shape_.disk;
    each.size = shape_.disk.size / shape_.disks;
    for (std::uint32_t i = 0; i < shape_.disks; ++i)
        disks_.emplace_back(each, seed + i);
}

Moment Raid0::in_cache(std::uint64_t bytes, Moment now) const {
    const auto rate = static_cast<double>(std::max<std::uint64_t>(shape_.cache_bytes_per_second, 1));
    return now + Nanoseconds(static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 / rate));
}

namespace {

// The access, stripe unit by stripe unit: visit(unit, offset within it, length).
template <typename Visit>
void each_unit(const Access &access, std::uint64_t unit_size, Visit visit) {
    std::uint64_t offset = access.offset;
    const std::uint64_t end = access.offset + access.length;
    while (offset < end) {
        const std::uint64_t within = offset % unit_size;
        const std::uint64_t length = std::min(unit_size - within, end - offset);
        visit(offset / unit_size, within, length);
        offset += length;
    }
}

} // namespace

Moment Raid0::on_disk(bool write, std::uint64_t unit, std::uint64_t within, std::uint64_t length,
                      Moment now) {
    return disk_of(unit).finish({write, unit / shape_.disks * shape_.stripe_unit + within, length}, now);
}

Moment Raid0::on_disks(const Access &access, Moment now) {
    Moment done = now;
    each_unit(access, shape_.stripe_unit,
              [&](std::uint64_t unit, std::uint64_t within, std::uint64_t length) {
                  done = std::max(done, on_disk(access.write, unit, within, length, now));
              });
    return done;
}

void Raid0::write_back(const Access &access, Moment now) {
    Pending pending{now, 0};
    each_unit(access, shape_.stripe_unit,
              [&](std::uint64_t unit, std::uint64_t within, std::uint64_t length) {
                  const auto waits = waiting_.find(unit);
                  if (waits != waiting_.end() && waits->second.begins > now && waits->second.from <= within &&
                      within + length <= waits->second.until)
                      return;
                  waiting_[unit] = {std::max(disk_of(unit).free_at(), now), within, within + length};
                  pending.done = std::max(pending.done, on_disk(true, unit, within, length, now));
                  pending.bytes += length;
              });
    if (pending.bytes > 0)
        dirty_.push_back(pending);
    dirty_bytes_ += pending.bytes;
}

// With write-back, a write waits only while the cache is full of older ones.
Moment Raid0::room_for(std::uint64_t bytes, Moment now) {
    Moment from = now;
    while (!dirty_.empty() && (dirty_.front().done <= from || dirty_bytes_ + bytes > shape_.cache)) {
        from = std::max(from, dirty_.front().done);
        dirty_bytes_ -= dirty_.front().bytes;
        dirty_.pop_front();
    }
    return from;
}

Moment Raid0::finish(const Access &access, Moment now) {
    if (access.length == 0)
        return now;
    const std::uint64_t unit_size = shape_.stripe_unit;
    const std::uint64_t first = access.offset / unit_size;
    const std::uint64_t last = (access.offset + access.length - 1) / unit_size;

    if (access.write) {
        for (std::uint64_t unit = first; unit <= last; ++unit)
            held_.insert(unit);
        if (shape_.cache == 0 || !shape_.write_back)
            return on_disks(access, now);
        const Moment from = room_for(access.length, now);
        write_back(access, from);
        return in_cache(access.length, from);
    }

    // With a cache, a miss brings the whole unit in, so that small sequential reads find the rest.
    Moment done = in_cache(access.length, now);
    if (shape_.cache == 0)
        return std::max(now, on_disks(access, now));
    for (std::uint64_t unit = first; unit <= last; ++unit) {
        if (held_.touch(unit))
            continue;
        done = std::max(done, on_disks({false, unit * unit_size, unit_size}, now));
        held_.insert(unit);
    }
    return done;
}

} // namespace iscsiscope::testbed
