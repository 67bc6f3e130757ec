// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/merge/held_segments.h"

#include "analyzer/base/saturating.h"

#include <algorithm>

namespace iscsiscope {
namespace {

bool is_behind(std::uint32_t a, std::uint32_t b) { // as sequence numbers
    return static_cast<std::int32_t>(a - b) > 0;
}

} // namespace

void DataSoFar::add(const Segment &s) {
    const bool syn = (s.flags & tcp_syn) != 0;
    const std::uint32_t length = s.payload_length + (syn ? 1 : 0) + ((s.flags & tcp_fin) != 0 ? 1 : 0);
    if (length == 0)
        return;
    const std::uint32_t end = s.sequence + length;
    if (begun_ && !syn && is_behind(end, top_))
        top_ = end;
    if (!begun_ || syn) {
        begun_ = true;
        next_ = top_ = end;
        behind_count_ = 0;
    } else if (!is_behind(s.sequence, next_)) {
        if (is_behind(end, next_))
            next_ = end;
        absorb();
    } else if (behind_count_ < behind_.size()) {
        Range *last = behind_count_ == 0 ? nullptr : &behind_[behind_count_ - 1];
        if (last != nullptr && last->end == s.sequence)
            last->end = end;
        else
            behind_[behind_count_++] = {s.sequence, end};
    }
}

bool DataSoFar::is_missed_by(const Segment &s) const {
    if ((s.flags & tcp_ack) == 0 || (s.flags & tcp_rst) != 0)
        return false;
    if (!begun_) // a capture that begins within the connection lacks what was sent before
        return (s.flags & tcp_syn) != 0;
    if (is_behind(s.acknowledgment, next_))
        return true;
    for (std::size_t i = 0; i < s.options.sack_count; ++i)
        if (is_behind(s.options.sack[i].right, top_))
            return true;
    return false;
}

void DataSoFar::give_up(const Segment &s) {
    if (!begun_ || is_behind(s.acknowledgment, next_))
        next_ = s.acknowledgment;
    if (!begun_ || is_behind(next_, top_))
        top_ = next_;
    begun_ = true;
    for (std::size_t i = 0; i < s.options.sack_count; ++i)
        if (is_behind(s.options.sack[i].right, top_))
            top_ = s.options.sack[i].right;
    absorb();
}

void DataSoFar::absorb() {
    for (std::size_t i = 0; i < behind_count_;) {
        const Range r = behind_[i];
        if (is_behind(r.begin, next_)) {
            ++i;
            continue;
        }
        if (is_behind(r.end, next_))
            next_ = r.end;
        behind_[i] = behind_[--behind_count_];
        i = 0; // what was behind it may follow now
    }
}

void HeldSegments::add(const Segment &s, DataSoFar &own, DataSoFar &other, Duration wait, const Out &out) {
    if (!held_.empty())
        release(s.time, out);
    if (own.held > 0 || (wait > Duration{} && other.is_missed_by(s))) {
        hold(s, own, other, wait);
        return;
    }
    give(s, own, out);
    if (other.held > 0)
        release(s.time, out);
}

void HeldSegments::hold(const Segment &s, DataSoFar &own, DataSoFar &other, Duration wait) {
    Held h{s, {}, &own, &other, wait};
    h.bytes.reserve(s.header.size() + s.payload.size());
    h.bytes.assign(s.header.begin(), s.header.end());
    h.bytes.insert(h.bytes.end(), s.payload.begin(), s.payload.end());
    bytes_ += h.bytes.size();
    held_.push_back(std::move(h));
    Held &kept = held_.back();
    const std::span<const std::byte> all(kept.bytes);
    kept.segment.header = all.first(s.header.size());
    kept.segment.payload = all.subspan(s.header.size());
    ++own.held;
}

void HeldSegments::give(const Segment &s, DataSoFar &own, const Out &out) {
    own.add(s);
    out(s);
}

void HeldSegments::release(Time now, const Out &out) {
    bool again = true;
    while (again) {
        again = false;
        std::vector<const DataSoFar *> waiting; // directions of which an earlier segment still waits
        for (auto at = held_.begin(); at != held_.end();) {
            const bool over = saturated_length(at->segment.time, now) > at->wait ||
                              held_.size() > max_segments || bytes_ > max_bytes;
            const bool behind_another = std::find(waiting.begin(), waiting.end(), at->own) != waiting.end();
            if (behind_another || (!over && at->other->is_missed_by(at->segment))) {
                waiting.push_back(at->own);
                ++at;
                continue;
            }
            if (at->other->is_missed_by(at->segment))
                at->other->give_up(at->segment);
            else if (at->segment.time < now) // it was sent after the data, however little
                at->segment.time = saturated_later(now, Duration{1});
            const Held h = std::move(*at);
            at = held_.erase(at);
            bytes_ -= h.bytes.size();
            --h.own->held;
            give(h.segment, *h.own, out);
            again = true; // what waits before it may have waited for it
        }
    }
}

void HeldSegments::finish(const Out &out) {
    while (!held_.empty()) {
        held_.front().wait = Duration{-1}; // what waits behind it may not need it
        release(held_.front().segment.time, out);
    }
}

} // namespace iscsiscope
