// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentOrder: puts the segments of a capture in the order in which they passed, where the file has them in
// another one (several queues of a network card or several interfaces, written in turn), and takes out steps
// of the clock that stamped them.
//
// In: the segments in the order of the file, each in next() and then add(). Out: the same segments, each
// once, with the memory of their bytes, in order of time; none waits for more than `ahead` segments nor for
// longer than `longest_wait` of capture time. What comes out does not depend on when it is asked for.
//
// A stamp earlier than one before it means one of two things. If the segment was sent before those that it
// would pass (sent_first), or nothing says otherwise, it is late in the file, and goes to its place. If it
// was sent after them, the clock was set back: the step is taken out of all later times, which go on
// behind the latest one at the usual distance of segments, since how long it really was is not known
// (Segment::clock says so); less than `smallest_step` is no step but the jitter of several clocks, and the
// segment keeps its place with the time of the one before. A stamp much later than the one
// before it means that the clock was set forward if the timestamps of both ends show it (ForwardStep).
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/frame.h"
#include "analyzer/pipeline/order/forward_step.h"
#include "analyzer/pipeline/order/order_summary.h"
#include "analyzer/pipeline/order/timestamp_samples.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace iscsiscope {

class SegmentOrder {
public:
    static constexpr std::size_t ahead = 512;
    // Dumpcap waits so long for a block of frames of an interface.
    static constexpr Duration longest_wait = std::chrono::milliseconds(250);
    // A frame whose stamp is earlier by more is late in no file: without evidence it shows a step.
    static constexpr Duration furthest_unproved = std::chrono::milliseconds(100);

    static constexpr Duration smallest_step = std::chrono::milliseconds(1);
    // Hostile stamps may step again and again: beyond that they are not followed.
    static constexpr Duration longest_shift = std::chrono::hours(24 * 3653);

    // The sink gets an anomaly for each step. at_once: no segment waits until one has come late, since each
    // is wanted as it comes (a pipe); of the first disorder, or step, less is known then.
    SegmentOrder(AnomalySink &sink, bool at_once);

    // The place of the segment that add() takes. It may hold an earlier one.
    Segment &next() { return slots_[free_.back()].segment; }
    // frame: its bytes. hold(): the memory in which those of the segment lie.
    template <class Hold>
    void add(std::span<const std::byte> frame, const Hold &hold) {
        const Segment &s = next();
        const std::span<const std::byte> bytes = s.header.empty() ? s.payload : s.header;
        if (memories_.empty() || !memories_.back().memory.covers(bytes.empty() ? frame : bytes))
            memories_.push_back({hold(), 0});
        ++memories_.back().users;
        enter(first_memory_ + memories_.size() - 1);
    }
    // No further segment comes: all are ready.
    void finish() { finished_ = true; }

    // The next one is known. The functions below require it.
    bool ready() const {
        return count_ != 0 && (finished_ || count_ > ahead || (at_once_ && summary_.out_of_order == 0) ||
                               (newest_ - front().time > longest_wait &&
                                !(suspected_ && front().time >= suspected_->behind())));
    }
    const Segment &front() const { return slots_[at(0)].segment; }
    const FrameHold &memory() const { return memories_[slots_[at(0)].memory - first_memory_].memory; }
    void pop();

    // What is added to the stamps of frames by now.
    Duration shift() const { return shift_; }
    const OrderSummary &summary() const { return summary_; }

private:
    static constexpr std::size_t size = 2 * ahead; // a power of two, of the queue

    struct Held {
        Segment segment; // its time without steps
        std::uint64_t memory = 0;
    };
    struct Memory {
        FrameHold memory;
        std::size_t users = 0;
    };

    std::uint16_t at(std::size_t i) const { return queue_[(head_ + i) % size]; }
    const Segment &held(std::size_t i) const { return slots_[at(i)].segment; }
    void enter(std::uint64_t memory);
    // Puts the slot behind all with its time or an earlier one.
    void insert(std::uint16_t slot);
    // A segment with an earlier time than newest_ was sent after those that it would pass.
    bool set_back(const Segment &) const;
    void went_back(Segment &);
    void went_on(const Segment &);
    // Moves the times from there on.
    void move_from(Time, Duration by);
    void note_step(FrameNumber, Duration by);
    // The mean time between the latest segments up to this time, at most smallest_step.
    Duration usual_time(Time until) const;

    AnomalySink &sink_;
    const bool at_once_;
    std::vector<Held> slots_;
    std::vector<std::uint16_t> free_;         // slots
    std::array<std::uint16_t, size> queue_{}; // slots in order, from head_ on
    std::size_t head_ = 0, count_ = 0;
    std::deque<Memory> memories_;
    std::uint64_t first_memory_ = 0; // number of the first of memories_
    Time newest_{};                  // with begun_: the latest time so far
    bool begun_ = false, finished_ = false;
    Duration shift_{};
    std::uint8_t clock_ = 0;               // see Segment
    std::optional<ForwardStep> suspected_; // the latest time without a segment, until it is judged
    TimestampSamples samples_;
    OrderSummary summary_;
};

} // namespace iscsiscope
