// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/order/sent_first.h"

namespace iscsiscope {
namespace {

// How far a number lies above another one, modulo 2^32.
std::int32_t above(std::uint32_t number, std::uint32_t other) {
    return static_cast<std::int32_t>(number - other);
}

bool acknowledges(const Segment &s) {
    return (s.flags & (tcp_ack | tcp_rst)) == tcp_ack;
}

// True if the segment acknowledges bytes of the other one, or echoes a later timestamp than its.
bool answers(const Segment &s, const Segment &question) {
    if (!acknowledges(s))
        return false;
    if (s.options.has_timestamps && question.options.has_timestamps &&
        above(s.options.timestamp_echo, question.options.timestamp_value) > 0)
        return true;
    const std::uint32_t end =
        question.sequence + question.payload_length + ((question.flags & tcp_syn) != 0 ? 1U : 0U);
    return end != question.sequence && above(s.acknowledgment, end) >= 0;
}

SentFirst in_one_direction(const Segment &a, const Segment &b) {
    const auto later = [](std::int32_t b_above_a) {
        return b_above_a > 0 ? SentFirst::first : SentFirst::second;
    };
    if (a.options.has_timestamps && b.options.has_timestamps)
        if (const auto by = above(b.options.timestamp_value, a.options.timestamp_value); by != 0)
            return later(by);
    if (const auto by = above(b.sequence, a.sequence); by != 0)
        return later(by);
    if (acknowledges(a) && acknowledges(b))
        if (const auto by = above(b.acknowledgment, a.acknowledgment); by != 0)
            return later(by);
    return SentFirst::unknown;
}

} // namespace

bool same_direction(const Segment &a, const Segment &b) {
    return a.source == b.source && a.destination == b.destination;
}

bool opposite_directions(const Segment &a, const Segment &b) {
    return a.source == b.destination && a.destination == b.source;
}

SentFirst sent_first(const Segment &a, const Segment &b) {
    if (same_direction(a, b))
        return in_one_direction(a, b);
    if (!opposite_directions(a, b))
        return SentFirst::unknown;
    if (answers(b, a))
        return SentFirst::first;
    return answers(a, b) ? SentFirst::second : SentFirst::unknown;
}

} // namespace iscsiscope
