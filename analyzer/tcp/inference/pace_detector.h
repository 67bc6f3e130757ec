// SPDX-License-Identifier: GPL-2.0-or-later
// Tells a sender that sends at a pace (BBR: draft-cardwell-iccrg-bbr-congestion-control section 4.3) from one
// that its window holds. With data waiting and nothing lost, a window never lets the pipe sink: every ACK is
// answered by what it released. A pace does: BBR drains its queue once in eight round trips, and between
// ACKs and its clock the pipe drifts.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace iscsiscope {

class PaceDetector {
public:
    // What one advance of the sender's knowledge released. pipe: behind it, packets. waiting: more data was
    // there, as its last packet was a full one. doubt: by how much the pipe may have been larger.
    void group(std::uint64_t pipe, bool waiting, std::uint64_t doubt, Time now, Duration round_trip) {
        // A pace has no long pauses: a sender's buffer that is filled at a time, and an application, do.
        const bool paused = now - last_ > std::max(round_trip / 4, least_pause);
        last_ = now;
        if (!waiting || paused || pipe > peak_) {
            peak_ = pipe;
            sunk_ = 0;
            return;
        }
        // Offloading holds a packet or two back for a while, and a tick of the timestamps may hide two more.
        if (pipe + slack + peak_ / 32 + doubt >= peak_) {
            sunk_ = 0;
            return;
        }
        if (sunk_++ == 0)
            sunk_since_ = now;
        // A host that stood still for a moment lets it sink too, but not for long.
        if (sunk_ >= groups_sunk && now - sunk_since_ >= round_trip / 4) {
            evidence_ |= 1;
            count_evidence();
            peak_ = pipe;
            sunk_ = 0;
        }
    }
    // Something else may let the pipe sink now: a loss, a pause, the receiver's window.
    void forget_peak() {
        peak_ = 0;
        sunk_ = 0;
    }
    void round_trip_passed() {
        evidence_ <<= 1;
        ++trips_;
        count_evidence();
    }

    // Once seen it may be a pace: no window can be told any more. Seen again it is one.
    bool suspected() const { return evidence_ != 0; }
    // Long enough diagnosed to have been seen if it were one: two of BBR's cycles.
    bool judged() const { return trips_ >= trips_judged; }
    bool paced() const { return paced_; }

private:
    void count_evidence() { paced_ = std::popcount(evidence_) >= trips_needed; }

    static constexpr std::uint64_t slack = 3;
    static constexpr Duration least_pause = std::chrono::milliseconds(3);
    static constexpr unsigned groups_sunk = 3;
    // Of the last 32 round trips.
    static constexpr int trips_needed = 2;

    std::uint64_t peak_ = 0;
    unsigned sunk_ = 0;
    Time sunk_since_{}, last_{};
    static constexpr std::uint64_t trips_judged = 16;
    std::uint64_t trips_ = 0;
    bool paced_ = false;
    std::uint32_t evidence_ = 0; // a bit a round trip, the latest lowest
};

} // namespace iscsiscope
