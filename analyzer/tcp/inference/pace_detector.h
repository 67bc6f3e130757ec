// SPDX-License-Identifier: GPL-2.0-or-later
// PaceDetector: distinguishes a paced sender (BBR: draft-cardwell-iccrg-bbr-congestion-control section 4.3)
// from one that is limited by its congestion window. With data waiting and without loss, the pipe of a
// window-limited sender never sinks, because every ACK releases as much data as it acknowledges. The pipe of
// a paced sender does: BBR drains its queue once in eight round trips.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace iscsiscope {

class PaceDetector {
public:
    // The segments that one advance of the known ACKs released. pipe: packets in flight after them. waiting:
    // their last packet was a full one, so that more data was waiting. doubt: uncertainty of the pipe.
    void group(std::uint64_t pipe, bool waiting, std::uint64_t doubt, Time now, Duration round_trip) {
        // A paced sender makes no long pauses; an application, or a send buffer refilled in bursts, does.
        const bool paused = last_ == never || now - last_ > std::max(round_trip / 4, min_pause);
        last_ = now;
        if (!waiting || paused || pipe > peak_) {
            peak_ = pipe;
            sunk_ = 0;
            return;
        }
        // Offloading may delay a packet or two, and a tick of the timestamps may hide two more.
        if (pipe + slack + peak_ / 32 + doubt >= peak_) {
            sunk_ = 0;
            return;
        }
        if (sunk_++ == 0)
            sunk_since_ = now;
        // A host that stalls makes the pipe sink too, but only for a short time.
        if (sunk_ >= groups_sunk && now - sunk_since_ >= round_trip / 4) {
            evidence_ |= 1;
            count_evidence();
            peak_ = pipe;
            sunk_ = 0;
        }
    }
    // The pipe may sink for another reason now: a loss, a pause, the receive window.
    void forget_peak() {
        peak_ = 0;
        sunk_ = 0;
    }
    void round_trip_passed() {
        evidence_ <<= 1;
        ++trips_;
        count_evidence();
    }

    // True after one sinking in the last 32 round trips: the sender may be paced, so that its window cannot
    // be inferred. paced() is true after two.
    bool suspected() const { return evidence_ != 0; }
    // True if the sender was observed long enough for pacing to show: two of BBR's cycles.
    bool judged() const { return trips_ >= trips_judged; }
    bool paced() const { return paced_; }

private:
    void count_evidence() { paced_ = std::popcount(evidence_) >= trips_needed; }

    static constexpr std::uint64_t slack = 3;
    static constexpr Duration min_pause = std::chrono::milliseconds(3);
    static constexpr unsigned groups_sunk = 3;
    // Sinkings in the last 32 round trips that prove pacing.
    static constexpr int trips_needed = 2;

    std::uint64_t peak_ = 0;
    unsigned sunk_ = 0;
    Time sunk_since_{};                        // with sunk_ > 0
    static constexpr Time never = Time::min(); // no group yet
    Time last_ = never;
    static constexpr std::uint64_t trips_judged = 16;
    std::uint64_t trips_ = 0;
    bool paced_ = false;
    std::uint32_t evidence_ = 0; // one bit per round trip, the latest lowest
};

} // namespace iscsiscope
