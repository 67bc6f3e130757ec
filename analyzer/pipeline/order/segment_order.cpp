// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/order/segment_order.h"

#include "analyzer/base/saturating.h"
#include "analyzer/pipeline/order/sent_first.h"

#include <algorithm>

namespace iscsiscope {

SegmentOrder::SegmentOrder(AnomalySink &sink, bool at_once)
    : sink_(sink), at_once_(at_once), slots_(ahead + 2) {
    for (std::size_t i = slots_.size(); i > 0; --i)
        free_.push_back(static_cast<std::uint16_t>(i - 1));
}

void SegmentOrder::enter(std::uint64_t memory) {
    const std::uint16_t slot = free_.back();
    free_.pop_back();
    slots_[slot].memory = memory;
    Segment &s = slots_[slot].segment;
    s.time = saturated_later(s.time, shift_);
    s.clock = clock_;
    if (!begun_) {
        begun_ = true;
        newest_ = s.time;
    }
    if (s.time < newest_) [[unlikely]]
        went_back(s);
    else if (s.time - newest_ >= ForwardStep::least) [[unlikely]]
        went_on(s);
    if (!suspected_) [[likely]] // its time may still be taken back
        samples_.add(s);
    insert(slot);
    newest_ = std::max(newest_, s.time);
    if (suspected_) [[unlikely]] {
        const ForwardStep::Verdict verdict = suspected_->judge(s);
        if (verdict == ForwardStep::Verdict::stepped && shift_ > -longest_shift) {
            const Duration by =
                suspected_->behind() - suspected_->before() - usual_time(suspected_->before());
            note_step(suspected_->frame(), by);
            move_from(suspected_->behind(), -by);
        }
        if (verdict != ForwardStep::Verdict::open)
            suspected_.reset();
    }
}

Duration SegmentOrder::usual_time(Time until) const {
    std::size_t i = count_;
    while (i > 0 && held(i - 1).time > until)
        --i;
    const std::size_t n = std::min<std::size_t>(i, 64);
    return n < 2 ? Duration{}
                 : std::min((held(i - 1).time - held(i - n).time) / static_cast<int>(n - 1), smallest_step);
}

void SegmentOrder::insert(std::uint16_t slot) {
    const Time time = slots_[slot].segment.time;
    std::size_t place = count_++;
    const auto comes_behind = [&](const Segment &other) {
        return other.time > time ||
               (other.time == time && sent_first(other, slots_[slot].segment) == SentFirst::second);
    };
    for (; place > 0 && comes_behind(held(place - 1)); --place)
        queue_[(head_ + place) % size] = at(place - 1);
    queue_[(head_ + place) % size] = slot;
}

bool SegmentOrder::set_back(const Segment &s) const {
    if (newest_ - s.time > longest_wait) // also a copy of an earlier one: the others have been given out
        return true;
    for (std::size_t i = count_; i > 0 && held(i - 1).time > s.time; --i)
        if (const SentFirst which = sent_first(held(i - 1), s); which != SentFirst::unknown)
            return which == SentFirst::first;
    return newest_ - s.time > furthest_unproved;
}

void SegmentOrder::went_back(Segment &s) {
    const Duration back = newest_ - s.time;
    if (!set_back(s)) {
        ++summary_.out_of_order;
        summary_.furthest = std::max(summary_.furthest, back);
    } else if (suspected_ && s.time >= suspected_->before()) { // it was set forward for a moment
        const Duration by = suspected_->behind() - suspected_->before();
        note_step(suspected_->frame(), by);
        note_step(s.frame, -by);
        const Duration shift = shift_;
        move_from(suspected_->behind(), -by);
        shift_ = shift; // by now it is set as before
        suspected_.reset();
        s.time = std::max(s.time, newest_);
    } else if (back < smallest_step || shift_ > longest_shift) {
        s.time = newest_;
    } else {
        const Duration usual = usual_time(newest_);
        note_step(s.frame, -back);
        shift_ = saturated_sum(shift_, back + usual);
        s.time = newest_ + usual;
        suspected_.reset();
    }
    s.clock = clock_;
}

void SegmentOrder::went_on(const Segment &s) {
    suspected_.emplace(newest_, s.time, s.frame);
    for (std::size_t i = count_; i > 0; --i)
        suspected_->add_before(held(i - 1));
    for (const TimestampSamples::Sample &sample : samples_.all())
        suspected_->add_sample(sample);
}

void SegmentOrder::move_from(Time from, Duration by) {
    newest_ = saturated_later(from, by); // the earliest of them then
    for (std::size_t i = 0; i < count_; ++i) {
        Segment &s = slots_[at(i)].segment;
        if (s.time >= from) {
            s.time = saturated_later(s.time, by);
            s.clock = clock_;
        }
        newest_ = std::max(newest_, s.time);
    }
    shift_ = saturated_sum(shift_, by);
}

void SegmentOrder::note_step(FrameNumber frame, Duration by) {
    ++summary_.step_count;
    ++clock_;
    if (summary_.steps.size() < OrderSummary::max_steps)
        summary_.steps.push_back({frame, by});
    sink_.on_anomaly(
        {.kind = AnomalyKind::clock_stepped, .frame = frame, .stream = {}, .detail = by.count()});
}

void SegmentOrder::pop() {
    const std::uint16_t slot = at(0);
    head_ = (head_ + 1) % size;
    --count_;
    --memories_[slots_[slot].memory - first_memory_].users;
    free_.push_back(slot);
    while (memories_.size() > 1 && memories_.front().users == 0) {
        memories_.pop_front();
        ++first_memory_;
    }
}

} // namespace iscsiscope
