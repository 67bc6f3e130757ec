// SPDX-License-Identifier: GPL-2.0-or-later
// The states of a receiver's acknowledgments in the order they passed the tap, kept until the data
// that answers them has passed too.
#pragma once

#include "analyzer/tcp/inference/bounded_ring.h"

#include "analyzer/base/time.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct AckState {
    Time time{};                                           // when it first passed the tap
    std::uint32_t first_timestamp = 0, last_timestamp = 0; // TSval of its first and last segment
    std::uint64_t acknowledged = 0;                        // offset in the data sender's stream
    std::uint64_t acknowledged_packets = 0;
    std::uint64_t sacked_bytes = 0, sacked_packets = 0;
    std::uint64_t highest_sacked = 0; // end of the highest SACKed byte, at least acknowledged
    std::uint64_t highest_sacked_packets = 0;
    std::uint64_t window_edge = 0;  // first offset the receiver has no room for; 0: scale not known
    std::uint16_t window_field = 0; // as on the wire
    bool pure = true;               // came in a segment without payload
    std::uint32_t number = 0;       // counts the states of a history

    // Packets that the receiver has.
    std::uint64_t delivered() const { return acknowledged_packets + sacked_packets; }
    bool says_the_same(const AckState &o) const {
        return acknowledged == o.acknowledged && sacked_bytes == o.sacked_bytes &&
               window_edge == o.window_edge && window_field == o.window_field &&
               highest_sacked == o.highest_sacked;
    }
};

class AckHistory {
public:
    void add(const AckState &);
    // The latest state once more, in a segment with this timestamp. Only with !empty().
    void repeated(std::uint32_t timestamp);
    bool empty() const { return states_.empty(); }

    // What the sender of a segment knew for certain (`least`) and at most (`most`).
    struct Known {
        const AckState *least = nullptr, *most = nullptr;
        bool exact_tick = false; // a state with this very timestamp is in the capture
    };
    // By the segment's echoed timestamp (RFC 7323 section 4.3: TS.Recent is that of the last in-order
    // segment): at least the first ACK with it, at most the last. Forgets what is older. Asked with
    // timestamps in ascending order but for reordering. Pointers hold until the next call of a
    // non-const function. Only with !empty().
    Known at_timestamp(std::uint32_t echoed) {
        if (stands_ && echoed == asked_)
            return {&states_.front(), &states_[at_], true};
        return find_timestamp(echoed);
    }
    // What had passed the tap by this time will be asked for no more, but for the last of it.
    void forget_before(Time);

    // The last that had passed the tap by this time; null: none. near: where it was found before, for whom it
    // is looked for again and again; 0 at first.
    const AckState *last_by(Time, std::uint32_t &near) const;
    // The first of those held. Only with !empty().
    const AckState &oldest() const { return states_.front(); }
    const AckState &latest() const { return states_.back(); }
    // No state passed the tap earlier than the one before it.
    bool in_order() const { return in_order_; }

private:
    Known find_timestamp(std::uint32_t echoed);
    const AckState *search(Time) const;
    void drop_oldest();

    static constexpr std::size_t most_states = 4096;
    BoundedRing<AckState> states_{most_states};
    std::size_t at_ = 0; // the last state that the latest echo allows: the next one is looked for from here
    std::uint32_t next_number_ = 1;
    std::uint32_t asked_ = 0; // the latest echo
    bool stands_ = false;     // only a state with this stamp would change the answer
    bool in_order_ = true;
};

} // namespace iscsiscope
