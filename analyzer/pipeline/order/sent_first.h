// SPDX-License-Identifier: GPL-2.0-or-later
// Which of two segments of one TCP connection was sent first, by what they say themselves, whatever their
// time stamps say.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstdint>

namespace iscsiscope {

enum class SentFirst : std::uint8_t { unknown, first, second };

// True if both have the same sender and receiver.
bool same_direction(const Segment &, const Segment &);
// True if the sender of each is the receiver of the other.
bool opposite_directions(const Segment &, const Segment &);

// Unknown for segments of different connections, and for two that do not say it. Of one direction the
// timestamps say it (RFC 7323), then sequence and acknowledgment numbers; of two directions an
// acknowledgment of the other one's bytes, or the echo of a later timestamp.
SentFirst sent_first(const Segment &a, const Segment &b);

} // namespace iscsiscope
