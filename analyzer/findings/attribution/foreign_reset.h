// SPDX-License-Identifier: GPL-2.0-or-later
// ForeignReset: an RST with the address of an end that this end did not send, by its hardware address, its
// time to live, or the time that it took.
#pragma once

#include "analyzer/findings/attribution/connection_end.h"

#include <optional>
#include <string>

namespace iscsiscope {

struct ForeignReset {
    bool of_target = false; // whose address it has
    FrameNumber frame = 0;
    PacketFace face;  // of the RST
    SenderFace usual; // of the packets that this end sent before
    bool other_mac = false;
    unsigned hops_off = 0;
    // Since the segment that it answers, of the other end; shorter than the shortest round trip to this end.
    std::optional<Duration> too_soon;
    std::optional<Duration> round_trip; // from the tap to this end
};

// Empty if the first end of the connection is no RST, or one as its end sends it. It is none either if later
// packets of the address look the same (`facts`): then the address has moved to another machine.
std::optional<ForeignReset> foreign_reset(const Facts &facts, const ConnectionFacts &, const FirstEnd &);

// Returns "has MAC address 02:00:00:00:00:99 instead of 02:00:00:00:00:14 and TTL 128 instead of 64, and came
// sooner than a round trip of 200 us".
std::string difference_words(const ForeignReset &);

} // namespace iscsiscope
