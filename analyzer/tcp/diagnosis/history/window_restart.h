// SPDX-License-Identifier: GPL-2.0-or-later
// WindowRestart: finds the waits of a sender whose congestion window grows from its start. A sender that sent
// nothing for a retransmission timeout begins with the initial window again, or with half of the old one for
// each timeout that passed (RFC 5681 section 4.1, RFC 2861 section 3; Linux
// net.ipv4.tcp_slow_start_after_idle); a new connection begins with the initial window (RFC 6928). Each
// flight then fills the window, and the next one, which may be twice as large, waits a round trip for its
// ACKs.
//
//   settled ──silence of a timeout, nothing in flight──▶ growing ──a flight that is not larger, or larger
//   than the window can have become; a loss──▶ settled
//
// In: of the sender's new data the bytes in flight, and each wait before a segment. Out: whether the wait was
// for a window that grows, and the sums. A flight of constant size is no growing window: a send buffer or the
// sender's own pieces. Sizes are bytes, times those of the tap.
#pragma once

#include "analyzer/tcp/tcp_figures.h"
#include "analyzer/tcp/track/sender_times.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

namespace iscsiscope {

class WindowRestart {
public:
    struct Wait {
        Duration length{};        // between two segments of the sender
        Duration round_trip{};    // of the path, the least; 0: not known
        std::uint64_t flight = 0; // in flight during the wait
        std::uint32_t full = 0;   // of a full segment
        bool released = false;    // an ACK ended the wait, and the window of the receiver had room
        FrameNumber after = 0;    // the segment that ended it
    };

    // The first segment of the sender in the capture.
    void opened() { growing_ = true; }
    // A segment leaves with nothing in flight, so long after the one before. Returns whether that is a
    // silence after which the window begins anew. Behind a full segment the sender had more to send: what it
    // sent was lost before the tap, and the silence was its retransmission timer's.
    bool resumed(Duration silence, Duration round_trip, std::uint32_t full) {
        if (silence < std::max<Duration>(min_timeout, 2 * round_trip))
            return false;
        if (is_filled(full)) {
            lost();
            return true;
        }
        // Before the first window was outgrown, idleness takes nothing from it.
        after_idle_ = after_idle_ || outgrown_;
        growing_ = true;
        counted_ = false;
        silence_ = silence;
        usual_ = std::max(usual_, largest_);
        reach_ = largest_ = 0;
        flights_ = 0;
        return true;
    }
    // A segment of new data has passed.
    void sent(FrameNumber frame, std::uint32_t payload) {
        last_frame_ = frame;
        last_payload_ = payload;
    }
    void in_flight(std::uint64_t bytes) { largest_ = std::max(largest_, bytes); }
    // A loss or a repair decides on the window from here on.
    void lost() {
        growing_ = false;
        outgrown_ = after_idle_ = true;
        usual_ = largest_ = 0;
    }

    // Returns whether the sender waited for the growth of its window. The sums are counted in `out`, which is
    // called only then.
    template <class Sums>
    bool waited(const Wait &w, Sums out) {
        if (!growing_ || w.full == 0 || w.round_trip <= Duration{} || w.length * min_part < w.round_trip)
            return false;
        const bool filled = is_filled(w.full);
        counted_ = counted_ && filled; // else another transfer begins
        if (!filled || !w.released || w.length > w.round_trip + w.round_trip / 2 + reaction)
            return false;
        if (!(reach_ == 0 ? is_first(w) : is_next(w))) {
            growing_ = false;
            outgrown_ = true;
            return false;
        }
        reach_ = w.flight;
        outgrown_ = true;
        count(w, out());
        return true;
    }

private:
    // Behind a full segment, or several that were cut later, the sender had more to send.
    bool is_filled(std::uint32_t full) const {
        return full != 0 && last_payload_ >= full && last_payload_ % full == 0;
    }
    // The initial window, at least three (RFC 3390) and mostly ten segments, with one more by which the
    // flight may be mistaken; after a shorter silence what is left of the old window, of which flights show a
    // lower bound.
    bool is_first(const Wait &w) const {
        const std::uint64_t initial = std::uint64_t{11} * w.full;
        return w.flight >= std::uint64_t{3} * w.full &&
               (w.flight <= initial || (after_idle_ && w.flight * 6 <= usual_ * 5));
    }
    // The window doubles in a round trip, or grows by half with delayed ACKs (RFC 5681 section 3.1).
    bool is_next(const Wait &w) const {
        return w.flight * 5 >= reach_ * 6 && w.flight * 2 <= reach_ * 5 + std::uint64_t{4} * w.full;
    }
    void count(const Wait &w, SlowStarts &s) {
        (after_idle_ ? s.after_idle : s.opening).add(w.length, known_frame(w.after));
        if (!counted_) {
            ++(after_idle_ ? s.transfers_after_idle : s.transfers_opening);
            if (after_idle_) {
                s.shortest_silence = s.shortest_silence ? std::min(*s.shortest_silence, silence_) : silence_;
                s.longest_silence = std::max(s.longest_silence, silence_);
            }
        }
        counted_ = true;
        const bool better = after_idle_ == s.run_after_idle ? flights_ >= s.run_waits : after_idle_;
        if (!run_)
            run_ = std::make_unique<SlowStarts::Run>(); // few directions need it
        if (flights_ == 0)
            *run_ = {};
        if (flights_ < run_->size())
            (*run_)[flights_] = {static_cast<std::uint32_t>((w.flight + w.full / 2) / w.full), last_frame_};
        ++flights_;
        if (better) {
            s.run = *run_;
            s.run_waits = flights_;
            s.run_after_idle = after_idle_;
        }
    }

    static constexpr Duration reaction = std::chrono::milliseconds{1}; // of a busy host
    static constexpr int min_part = 4; // of a round trip: shorter waits are those between ACKs of one flight

    bool growing_ = false;
    bool after_idle_ = false;               // the window that grows had been larger
    bool outgrown_ = false;                 // the first window of the connection has been
    bool counted_ = false;                  // this transfer has been
    std::uint64_t largest_ = 0, usual_ = 0; // in flight since the restart, and before it
    std::uint64_t reach_ = 0;               // the flight of the last counted wait; 0: none since the restart
    std::uint32_t flights_ = 0;             // counted since the restart
    FrameNumber last_frame_ = 0;            // of new data
    std::uint32_t last_payload_ = 0;        // its bytes
    Duration silence_{};
    std::unique_ptr<SlowStarts::Run> run_;
};

} // namespace iscsiscope
