// SPDX-License-Identifier: GPL-2.0-or-later
// UndecidedRepeats: the retransmissions of one sender whose class later segments may change. Each goes
// through
//
//   under way ──ACK of its bytes──▶ acknowledged ──two round trips and 500 ms──▶ settled: reported, counted
//       │                              │
//       └─ a DSACK (RFC 2883), or the echo of a stamp older than its own (RFC 3522): it was spurious
//
// A repeat that may be a timeout or a tail loss probe (RepeatVerdict::maybe_probe) waits also for what its
// sender sends next: after a timeout it begins with one segment, two after its ACK (RFC 5681 section 3.1).
#pragma once

#include "analyzer/tcp/diagnosis/history/direction_tally.h"
#include "analyzer/tcp/diagnosis/repeats/loss_state.h"
#include "analyzer/tcp/track/acked_log.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

struct UndecidedRepeat {
    TcpRetransmission record;
    std::uint64_t end = 0;
    std::uint32_t timestamp = 0;
    bool echo_conclusive = false; // the echo of an older stamp would prove that the original arrived
    std::optional<Time> acked_at;
    bool expiry = false, maybe_probe = false; // of its RepeatVerdict
    bool duplicate_reported = false;          // the receiver reported the bytes as duplicate (DSACK)
    bool loss_shown = false;                  // the receiver showed that they had not arrived

    void was_spurious(OptionalFrame signal) {
        record.kind = RetransmissionClass::spurious;
        record.place = LossPlace::none;
        record.signal_frame = signal;
    }
};

class UndecidedRepeats {
public:
    bool empty() const { return waiting_.empty(); }
    bool full() const { return waiting_.size() > most; } // settle all of them
    void add(const UndecidedRepeat &u) { waiting_.push_back(u); }

    // True while segments of new data are counted behind a repeat that may be a probe.
    bool counts_after_repeat() const { return after_timeout_.repeat != 0; }
    // The sender sent this segment of new data. known: the number of the last ACK that it can know.
    void sent_new(const Segment &, std::uint64_t known, LossState &);

    // The receiver reported bytes behind a hole. shows(offset, end): it reported those bytes as missing.
    template <class Shows>
    void hole_reported(Shows shows) {
        for (UndecidedRepeat &u : waiting_)
            u.loss_shown = u.loss_shown || shows(u.record.offset, u.end);
    }
    // The receiver reported these bytes as duplicate. Returns false if they belong to no repeat that waits.
    bool duplicate_received(std::uint64_t from, std::uint64_t to, FrameNumber);
    // A segment of the receiver advanced its ACK to this offset. sack: SACK is in use, so that a duplicate
    // would be reported.
    void acked(const Segment &, std::uint64_t offset, bool sack);

    // Counts and takes out those that no later segment can change, in their order; report(record) each.
    // grace: how long after the ACK a DSACK may come. all: whatever comes.
    template <class Report>
    void settle(Time now, Duration grace, bool all, bool probes, DirectionTally &tally, Report report) {
        auto next = waiting_.begin();
        for (; next != waiting_.end() && (all || is_settled(*next, now, grace)); ++next) {
            count(*next, probes, tally);
            report(next->record);
        }
        waiting_.erase(waiting_.begin(), next);
    }

private:
    static constexpr std::size_t most = 4096;
    // Segments that a sender may send after a timeout before a further ACK reaches it.
    static constexpr std::uint64_t max_after_timeout = 3;

    static bool is_settled(const UndecidedRepeat &u, Time now, Duration grace) {
        return u.acked_at && !u.maybe_probe && now - *u.acked_at > grace;
    }
    static void count(UndecidedRepeat &, bool probes, DirectionTally &);

    std::vector<UndecidedRepeat> waiting_;
    struct {
        FrameNumber repeat = 0; // 0: no repeat is observed
        std::uint64_t known = 0, segments = 0;
        // Timestamp echo of the first of these segments. Another echo shows that a further ACK reached the
        // sender, which may be missing in the file.
        std::uint32_t echo = 0;
    } after_timeout_;
};

} // namespace iscsiscope
