// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/repeats/retransmission_judge.h"

#include "analyzer/tcp/track/sender_times.h"

#include <algorithm>

namespace iscsiscope {

RepeatVerdict judge_repeat(const RepeatEvidence &e) {
    using enum RetransmissionClass;
    using namespace std::chrono_literals;
    const bool long_silence = e.silence >= min_timeout;
    // The timer runs for the oldest segment and duplicate ACKs do not restart it (RFC 6298 section 5), so
    // that a repeat that is lost again may end in a timeout while duplicate ACKs still arrive.
    const bool copy_timed_out = e.since_last_copy && *e.since_last_copy >= min_timeout;
    if (e.oldest && (long_silence || (e.signalled && copy_timed_out))) {
        const bool alone = e.last && !e.signalled && !e.since_last_copy;
        if (alone && e.probes)
            return {tail_probe, true};
        return {timeout, true, alone};
    }
    if (e.in_loss)
        return {timeout};
    // An ACK triggered it: duplicate, partial (RFC 6582), or for bytes sent later (RFC 8985).
    if (e.signalled || e.prompt)
        return {fast};
    // No ACK indicated a loss, hence a timer. A probe waits for two round trips (RFC 8985 section 7.2).
    const bool waited = e.silence >= std::max<Duration>(e.round_trip + e.round_trip / 5, 2ms);
    if (e.last && waited)
        return {tail_probe, true};
    if (e.oldest && waited)
        return {timeout, true}; // a sender with a shorter timer
    return {unknown};
}

} // namespace iscsiscope
