// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/stream/side_stream.h"

#include <algorithm>
#include <cstring>

namespace iscsiscope {

namespace {

// Returns the captured part of [begin, end) of a segment whose payload starts at offset segment_begin.
std::span<const std::byte> captured(const Segment &segment, std::uint64_t segment_begin, std::uint64_t begin,
                                    std::uint64_t end) {
    const std::uint64_t skip = begin - segment_begin;
    if (skip >= segment.payload.size())
        return {};
    const std::uint64_t length = std::min<std::uint64_t>(end - begin, segment.payload.size() - skip);
    return segment.payload.subspan(static_cast<std::size_t>(skip), static_cast<std::size_t>(length));
}

} // namespace

SideStream::Arrival SideStream::arrive(std::uint32_t sequence, const Segment &segment,
                                       std::uint64_t acknowledged, std::size_t max_kept_bytes, Output &out) {
    start(sequence);
    Arrival arrival;
    arrival.offset = offset_of(sequence);
    const std::int64_t signed_end = arrival.offset + segment.payload_length;
    if (arrival.offset < 0)
        arrival.before_start = true;
    if (signed_end <= 0)
        return arrival;
    const auto end = static_cast<std::uint64_t>(signed_end);
    // The offset of the payload. For a segment that begins before byte 0 it wraps around, which leaves the
    // differences in captured() correct.
    const auto segment_begin = static_cast<std::uint64_t>(arrival.offset);
    const Placed placed{.segment = segment, .begin = segment_begin, .acknowledged = acknowledged};
    std::uint64_t begin = arrival.offset < 0 ? 0 : segment_begin;
    if (begin < next_) {
        const std::uint64_t old_end = std::min(end, next_);
        if (!note_late_fill(begin, old_end, segment.frame, out))
            arrival.repeats = true;
        begin = old_end;
    }
    if (begin >= end)
        return arrival;
    arrival.out_of_order = has_hole() || begin > next_;
    highest_ = std::max(highest_, end);

    const auto count = [&](std::uint64_t from, std::uint64_t to) {
        if (arrival.new_bytes == 0)
            arrival.first_new_offset = from;
        arrival.new_bytes += static_cast<std::uint32_t>(to - from);
    };
    // Of the parts of [begin, end) not yet covered, one that begins at next_ is delivered, any other waits.
    while (begin < end) {
        if (begin == next_) {
            const std::uint64_t stop = has_hole() ? std::min(end, hole_end()) : end;
            count(begin, stop);
            deliver(begin, stop, placed, out);
            release(out);
            if (next_ > stop && end > stop)
                arrival.repeats = true;
            begin = std::max(stop, std::min(end, next_));
            continue;
        }
        if (!waiting_)
            waiting_ = std::make_unique<Waiting>();
        auto &ranges = waiting_->ranges;
        const auto first = ranges.begin() + static_cast<std::ptrdiff_t>(waiting_->head);
        auto after =
            first == ranges.end() || ranges.back().begin <= begin
                ? ranges.end() // the usual case
                : std::upper_bound(first, ranges.end(), begin,
                                   [](std::uint64_t value, const Range &r) { return value < r.begin; });
        if (after != first && std::prev(after)->end > begin) { // starts inside a waiting range
            const Range &cover = *std::prev(after);
            const std::uint64_t overlap_end = std::min(end, cover.end);
            const auto again = captured(segment, segment_begin, begin, overlap_end);
            const std::uint64_t skip = begin - cover.begin;
            if (skip < cover.bytes.size()) {
                const auto length = std::min<std::size_t>(again.size(), cover.bytes.size() - skip);
                if (length > 0 && std::memcmp(again.data(), cover.bytes.data() + skip, length) != 0)
                    out.anomaly(AnomalyKind::overlap_differs, segment.frame,
                                static_cast<std::int64_t>(length));
            }
            arrival.repeats = true;
            begin = overlap_end;
            continue;
        }
        const std::uint64_t stop = after == ranges.end() ? end : std::min(end, after->begin);
        count(begin, stop);
        wait(static_cast<std::size_t>(after - ranges.begin()), begin, stop, placed, max_kept_bytes, out);
        begin = stop;
    }
    return arrival;
}

void SideStream::deliver(std::uint64_t begin, std::uint64_t end, const Placed &placed, Output &out) {
    next_ = end;
    const Segment &segment = placed.segment;
    const auto bytes = captured(segment, placed.begin, begin, end);
    out.piece({.offset = begin,
               .length = static_cast<std::uint32_t>(end - begin),
               .unseen = false,
               .first_seen = segment.time,
               .frame = segment.frame,
               .captured = static_cast<std::uint32_t>(bytes.size()),
               .bytes = bytes,
               .acknowledged = placed.acknowledged});
}

void SideStream::wait(std::size_t position, std::uint64_t begin, std::uint64_t end, const Placed &placed,
                      std::size_t max_kept_bytes, Output &out) {
    const Segment &segment = placed.segment;
    const auto bytes = captured(segment, placed.begin, begin, end);
    Range range{.begin = begin,
                .end = end,
                .time = segment.time,
                .frame = segment.frame,
                .captured = static_cast<std::uint32_t>(bytes.size()),
                .bytes = {},
                .acknowledged = placed.acknowledged};
    if (end > out.content_needed_from()) {
        if (waiting_->kept_bytes + bytes.size() <= max_kept_bytes) {
            range.bytes.assign(bytes.begin(), bytes.end());
            waiting_->kept_bytes += bytes.size();
        } else {
            out.anomaly(AnomalyKind::out_of_order_overflow, segment.frame,
                        static_cast<std::int64_t>(bytes.size()));
        }
    }
    auto &ranges = waiting_->ranges;
    ranges.insert(ranges.begin() + static_cast<std::ptrdiff_t>(position), std::move(range));
}

void SideStream::acknowledged(std::uint64_t offset, Time now, FrameNumber frame) {
    std::vector<Acked> &acked = waiting_->acked;
    if (!acked.empty() && acked.back().to >= offset)
        return;
    // Those below the first hole's end are asked for by no hole.
    const auto behind =
        std::find_if(acked.begin(), acked.end(), [end = hole_end()](const Acked &a) { return a.to >= end; });
    acked.erase(acked.begin(), behind);
    if (acked.size() < max_acked)
        acked.push_back({offset, now, frame});
    else
        acked.back().to = offset; // a hole behind it counts as acknowledged a little early
}

FirstHole SideStream::first_hole() const {
    const Range &behind = waiting_->ranges[waiting_->head];
    FirstHole hole{behind.begin, behind.time, {}, 0};
    const auto &acked = waiting_->acked;
    const auto by =
        std::find_if(acked.begin(), acked.end(), [&](const Acked &a) { return a.to >= hole.end; });
    if (by != acked.end()) {
        hole.acked = std::max(by->when, hole.seen);
        hole.acked_frame = std::max(by->frame, behind.frame);
    }
    return hole;
}

// Delivers the waiting ranges that now continue the delivered bytes.
void SideStream::release(Output &out) {
    if (!waiting_)
        return;
    while (has_hole() && hole_end() == next_) {
        // next_ is advanced before the piece is delivered, because the observer may read it.
        const Range range = std::move(waiting_->ranges[waiting_->head]);
        ++waiting_->head;
        waiting_->kept_bytes -= range.bytes.size();
        next_ = range.end;
        out.piece({.offset = range.begin,
                   .length = static_cast<std::uint32_t>(range.end - range.begin),
                   .unseen = false,
                   .first_seen = range.time,
                   .frame = range.frame,
                   .captured = range.captured,
                   .bytes = range.bytes,
                   .acknowledged = range.acknowledged});
    }
    auto &ranges = waiting_->ranges;
    if (waiting_->head == ranges.size()) {
        waiting_.reset();
    } else if (waiting_->head > 64 && waiting_->head * 2 > ranges.size()) {
        ranges.erase(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(waiting_->head));
        waiting_->head = 0;
    }
}

void SideStream::deliver_unseen(std::uint64_t end, Time now, FrameNumber frame, std::uint64_t acknowledged,
                                std::uint64_t lost_from, Output &out) {
    given_up_ = std::make_unique<Hole>(Hole{next_, end});
    if (const std::uint64_t missed = std::min(end, lost_from); missed > next_)
        out.anomaly(AnomalyKind::stream_hole, frame, static_cast<std::int64_t>(missed - next_));
    while (next_ < end) {
        const std::uint64_t begin = next_;
        const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, 1U << 30));
        next_ = begin + length;
        out.piece({.offset = begin,
                   .length = length,
                   .unseen = true,
                   .first_seen = now,
                   .frame = frame,
                   .captured = 0,
                   .bytes = {},
                   .acknowledged = acknowledged});
    }
    highest_ = std::max(highest_, next_);
}

void SideStream::give_up_hole(Time now, FrameNumber frame, Output &out, std::uint64_t lost_from) {
    // What was sent later acknowledges at least as much.
    deliver_unseen(hole_end(), now, frame, waiting_->ranges[waiting_->head].acknowledged, lost_from, out);
    release(out);
}

void SideStream::give_up_until(std::uint64_t offset, Time now, FrameNumber frame, Output &out) {
    if (!has_hole() && offset > next_)
        deliver_unseen(offset, now, frame, unknown_offset, unknown_offset, out);
}

// Returns true, with an anomaly, if the bytes belong to the hole last given up: they are late, not repeated.
bool SideStream::note_late_fill(std::uint64_t begin, std::uint64_t end, FrameNumber frame, Output &out) {
    if (!given_up_)
        return false;
    const std::uint64_t from = std::max(begin, given_up_->begin);
    const std::uint64_t to = std::min(end, given_up_->end);
    if (from >= to)
        return false;
    out.anomaly(AnomalyKind::late_fill, frame, static_cast<std::int64_t>(to - from));
    return true;
}

} // namespace iscsiscope
