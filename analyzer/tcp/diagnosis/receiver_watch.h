// SPDX-License-Identifier: GPL-2.0-or-later
// ReceiverWatch: what the receiver of one direction does: how long it holds ACKs, and the window that it
// offers.
//
//      window:  open ──no room for a full segment──▶ full ──room──▶ open
//               open or full ──announced as zero──▶ zero ──any other──▶ as before
//
// The times in `full` and `zero` are waits of TcpDirectionTroubles. Offsets are those of the sender's stream.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/diagnosis/history/direction_tally.h"
#include "analyzer/tcp/stream/connection.h"
#include "analyzer/tcp/track/acked_log.h"
#include "analyzer/tcp/track/sent_log.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class ReceiverWatch {
public:
    // The window that the receiver offers, and how much of it the sender has used.
    struct Offer {
        std::uint64_t acked = ~std::uint64_t{0};
        std::uint64_t sent_to = 0; // end of the highest byte that passed; 0: none
        std::optional<std::uint32_t> full_segment;
        std::uint16_t window = 0; // as on the wire
        friend bool operator==(const Offer &, const Offer &) = default;
    };
    // The last one of which window() took note.
    const Offer &last_offer() const { return last_offer_; }

    // A segment of the receiver with this offer passed, no SYN. Sets the edge of its ACK, which has that of
    // the ACK before. any_sent: the sender has sent data.
    void window(const Segment &, const ConnectionEnd &receiver, const Offer &, bool any_sent, AckSeen &,
                DirectionTally &);
    // A pure ACK of everything up to the end of `last` passed, and no later segment can have caused it:
    // counts how long the receiver held it, the time in excess of its recent prompt ACKs. loop: the least
    // recent round trip tap → receiver → tap.
    void held(AckSeen &, const SentLog::Sent &last, Duration tap_rtt, DirectionTally &);
    // The connection ends.
    void finish(Time at, DirectionTally &);

private:
    Offer last_offer_;
    CompactOptional<Time> zero_since_, full_since_;
    CompactOptional<Duration> usual_reaction_;
};

} // namespace iscsiscope
