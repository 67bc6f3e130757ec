// SPDX-License-Identifier: GPL-2.0-or-later
// AckedLog: the acknowledgments of one receiver in the order in which they passed the tap, as far as each
// brought something: the only history of ACKs. Who asks which of them a sender knew keeps numbers into it
// (KnownAcks, AckBounds).
//
// Entries are numbered from 1, without reuse of numbers; number 0 means "no ACK". Entries in a row may be of
// one state: they differ in time and duplicates, not in what the receiver had and allowed. An entry is news
// if it brought more than another window within the same right edge: an ACK, a SACK, a duplicate or an edge.
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/base/time.h"

#include <algorithm>
#include <cstdint>

namespace iscsiscope {

// One ACK, in 96 bytes: each direction keeps a dozen of them and more.
struct AckSeen {
    Time time{};
    Time since{}; // when the first ACK of this state passed
    FrameNumber frame = 0;
    std::uint64_t acked = 0;   // offset in the sender's stream
    std::uint64_t packets = 0; // of that stream, up to there
    FrameNumber held_data = 0; // the segment whose ACK was delayed; 0: this is no delayed ACK
    // SACKed behind `acked`. At most a window, that is, a GiB (RFC 7323 section 2.3); saturating.
    std::uint32_t sacked_bytes = 0, sacked_packets = 0;
    std::uint32_t sacked_span = 0, sacked_span_packets = 0; // up to the end of the highest SACKed byte
    std::uint32_t window = 0;    // announced, bytes; without `scaled` as on the wire, in a SYN 0
    std::uint32_t timestamp = 0; // TSval
    // TSvals with which this passed; an ACK that was overtaken counts as of the newer one before it.
    std::uint32_t first_stamp = 0, last_stamp = 0;
    std::uint32_t state = 0;           // number of its state; 0: before the first ACK in the capture
    std::uint32_t news_back = 0;       // entries back to the latest one that is news; 0: this one is
    std::uint32_t duplicates : 30 = 0; // duplicate ACKs so far at this number (RFC 5681 section 2)
    bool scaled : 1 = false;           // both SYNs gave the window's scale
    bool pure : 1 = false;             // the first ACK of this state carried no payload

    // The right edge of the window that the sender may use, as an offset: it never moves back
    // (RFC 9293 section 3.8.6). 0: the scale is not known.
    std::uint64_t edge() const { return room_ == no_room ? 0 : acked + room_; }
    void set_edge(std::uint64_t edge) {
        room_ = edge == 0 ? no_room
                          : static_cast<std::uint32_t>(std::min(edge - std::min(edge, acked), max_room));
    }
    // False before the first ACK in the capture, whose time is not known.
    bool known() const { return state != 0; }
    // The end of the highest byte that the receiver has, and the packets up to there.
    std::uint64_t highest() const { return acked + sacked_span; }
    std::uint64_t highest_packets() const { return packets + sacked_span_packets; }
    // Packets that the receiver has received.
    std::uint64_t delivered() const { return packets + sacked_packets; }
    // The right edge of the window as this ACK announced it; 0: the scale is not known.
    std::uint64_t announced_edge() const { return scaled ? acked + window : 0; }
    bool same_state(const AckSeen &o) const {
        return acked == o.acked && sacked_bytes == o.sacked_bytes && sacked_span == o.sacked_span &&
               window == o.window && scaled == o.scaled;
    }

private:
    static constexpr std::uint32_t no_room = ~std::uint32_t{0};
    static constexpr std::uint64_t max_room = no_room - 1U; // far above any window
    std::uint32_t room_ = no_room;                          // from `acked` to the edge
};
static_assert(sizeof(AckSeen) == 96);

// True if one TSval is later than another one (RFC 7323 section 5.2).
constexpr bool is_later_stamp(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) > 0;
}

class AckedLog {
public:
    static constexpr AckSeen nothing{}; // stands for the ACK before the first one

    // Adds an ACK. Its stamps and what belongs to its state are set here.
    void add(const AckSeen &, bool news);
    // A segment with this TSval carried the latest entry again. Requires !empty().
    void repeated(std::uint32_t timestamp) {
        AckSeen &last = ring_.back();
        if (is_later_stamp(timestamp, last.last_stamp))
            last.last_stamp = timestamp;
    }
    void forget_below(std::uint64_t number) {
        while (ring_.size() > 1 && first_ < number)
            drop_oldest();
    }

    bool empty() const { return ring_.empty(); }
    std::uint64_t first() const { return first_; }              // the first number held
    std::uint64_t end() const { return first_ + ring_.size(); } // last number + 1
    const AckSeen &latest() const { return ring_.back(); }      // requires !empty()
    const AckSeen &operator[](std::uint64_t number) const {     // requires a number that is held
        return ring_[static_cast<std::size_t>(number - first_)];
    }
    // Returns the entry with this number; null if it is not held, or the number is 0.
    const AckSeen *at(std::uint64_t number) const {
        return number >= first_ && number < end() ? &(*this)[number] : nullptr;
    }
    // The latest one that is news, held or not. Requires !empty().
    std::uint64_t latest_news() const { return end() - 1 - ring_.back().news_back; }
    // True if the times never went back.
    bool in_order() const { return in_order_; }

private:
    void drop_oldest() {
        ring_.pop_front();
        ++first_;
    }

    static constexpr std::uint16_t most = 4096;
    BoundedRing<AckSeen, most> ring_;
    std::uint64_t first_ = 1;
    bool in_order_ = true;
};

} // namespace iscsiscope
