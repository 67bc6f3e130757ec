// SPDX-License-Identifier: GPL-2.0-or-later
// AckHistory: the states of a receiver's acknowledgments in the order in which they passed the tap. It finds
// the states that the data's sender can have known when it sent a segment. States are kept until the data
// sent in response has passed; at most 4096.
#pragma once

#include "analyzer/tcp/stream/bounded_ring.h"

#include "analyzer/base/time.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct AckState {
    Time time{};                                           // when it first passed the tap
    std::uint32_t first_timestamp = 0, last_timestamp = 0; // TSval of its first and last segment
    std::uint64_t acknowledged = 0;                        // offset in the data sender's stream
    std::uint64_t acknowledged_packets = 0;
    // Behind `acknowledged`. At most a window, that is, a GiB (RFC 7323 section 2.3); saturating.
    std::uint32_t sacked_bytes = 0, sacked_packets = 0;
    std::uint32_t sacked_span = 0, sacked_span_packets = 0; // up to the end of the highest SACKed byte
    std::uint64_t window_edge = 0;  // right edge of the window as an offset; 0: scale not known
    std::uint16_t window_field = 0; // as on the wire
    bool pure = true;               // carried by a segment without payload
    std::uint32_t number = 0;       // number of the state in its history, from 1

    // False for the state before the first ACK in the capture, whose time is not known.
    bool known() const { return number != 0; }
    // The end of the highest byte that the receiver has, and the packets up to there.
    std::uint64_t highest() const { return acknowledged + sacked_span; }
    std::uint64_t highest_packets() const { return acknowledged_packets + sacked_span_packets; }
    // Packets that the receiver has received.
    std::uint64_t delivered() const { return acknowledged_packets + sacked_packets; }
    bool equivalent(const AckState &o) const {
        return acknowledged == o.acknowledged && sacked_bytes == o.sacked_bytes &&
               window_edge == o.window_edge && window_field == o.window_field && sacked_span == o.sacked_span;
    }
};

class AckHistory {
public:
    void add(const AckState &);
    // A segment with this timestamp carried the latest state again. Requires !empty().
    void repeated(std::uint32_t timestamp);
    bool empty() const { return states_.empty(); }

    // The state that the sender of a segment certainly knew (`least`), and the last it can have known.
    struct Known {
        const AckState *least = nullptr, *most = nullptr;
        bool exact_tick = false; // a state with the echoed timestamp is in the capture
    };
    // Finds them by the segment's echoed timestamp (RFC 7323 section 4.3): the first and the last ACK with
    // it. Discards older states; the timestamps must ascend, except for reordering. Pointers are valid until
    // the next call of a non-const function. Requires !empty().
    Known at_timestamp(std::uint32_t echoed) {
        if (answer_holds_ && echoed == latest_echo_)
            return {&states_.front(), &states_[at_], true};
        return find_timestamp(echoed);
    }
    // Discards the states that had passed the tap by this time, except the last of them.
    void forget_before(Time);

    // Returns the last state that had passed the tap by this time; null: none. near: a hint where to search,
    // updated by the call; 0 at first.
    const AckState *last_by(Time, std::uint32_t &near) const;
    // The first and the last state held. Requires !empty().
    const AckState &oldest() const { return states_.front(); }
    const AckState &latest() const { return states_.back(); }
    // True if the times of the states never went back.
    bool in_order() const { return in_order_; }

private:
    Known find_timestamp(std::uint32_t echoed);
    const AckState *search(Time) const;
    void drop_oldest();

    static constexpr std::uint16_t max_states = 4096;
    BoundedRing<AckState, max_states> states_;
    std::size_t at_ = 0; // the last state that latest_echo_ allows; the next search starts here
    std::uint32_t next_number_ = 1;
    std::uint32_t latest_echo_ = 0; // argument of the last call of at_timestamp()
    bool answer_holds_ = false;     // its answer is valid until a state with that stamp is added
    bool in_order_ = true;
};

} // namespace iscsiscope
