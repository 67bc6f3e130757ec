// SPDX-License-Identifier: GPL-2.0-or-later
// Assigns each entry of the ledger to at most one finding that may claim it (claims.h), so that lost times
// never overlap and blame nobody whose time it is not; finds slow transfers.
#pragma once

#include "analyzer/findings/attribution/consequences.h"
#include "analyzer/findings/attribution/stories.h"
#include "analyzer/findings/findings_input.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace iscsiscope {

// What is lost on a connection with the commands of one logical unit and type.
struct LostOfLunType {
    StreamId stream;
    LunTypeSum sum;
};

// The time lost to one finding.
struct Lost {
    Waits waits;
    std::vector<LostOfLunType> by_lun; // by connection; some may be of the same
    std::map<StreamId, Duration> by_stream;
    std::map<Cause, Duration> by_cause;
    // Time of data transfer beyond what the bytes need at the rate of the path.
    Duration transfer{};
    OwnerTimes owners; // of time()

    Duration time() const { return waits.time + transfer; }
    // The connection that lost most; empty: none.
    std::optional<StreamId> worst_stream() const;
};

// Connections whose losses are explained by the overflow of a queue that they share: the losses coincide in
// time more often than by chance, or they occur when much data is in flight.
struct LossSynchrony {
    std::set<StreamId> streams; // empty: neither was found
    bool at_once = false;       // losses coincide in time
    double together = 0;        // share of loss episodes that coincide with one of another connection
    double by_chance = 0;       // the same share for independent losses at the same rates
    std::uint64_t episodes = 0;
    bool by_load = false;       // losses occur under load
    double under_way = 1;       // mean bytes in flight at lost segments / at all segments; 1 by chance
    double standard_errors = 0; // by which under_way exceeds 1
};
LossSynchrony loss_synchrony(const Facts &);

class Attribution {
public:
    explicit Attribution(const FindingsInput &);

    const Lost &to(FindingKind kind) const { return lost_[static_cast<std::size_t>(kind)]; }
    const LossSynchrony &synchrony() const { return synchrony_; }
    const Stories &stories() const { return stories_; }
    const Consequences &consequences() const { return consequences_; }
    Duration active() const { return active_; }
    Duration busy() const { return busy_; }
    // The busy time of the connections on which this was a cause.
    Duration busy_of(FindingKind) const;

private:
    void count_waits(const ConnectionFacts &, const FindingsInput &);
    void count_transfer(const FindingsInput &);
    std::optional<FindingKind> finding_of(const WaitKey &, const Waits &, const ConnectionFacts &,
                                          const FindingsInput &) const;
    std::optional<FindingKind> of_tcp(const WaitKey &, const Waits &, const ConnectionFacts &,
                                      const FindingsInput &) const;
    std::optional<FindingKind> of_target(const WaitKey &, const Waits &, const ConnectionFacts &,
                                         const FindingsInput &) const;
    std::optional<FindingKind> of_pause(const WaitKey &, const Waits &, const ConnectionFacts &) const;
    FindingKind loss_finding(const ConnectionFacts &) const;

    Consequences consequences_;
    Stories stories_;
    std::array<Lost, finding_kind_count> lost_;
    LossSynchrony synchrony_;
    Duration active_{}, busy_{};
    std::map<StreamId, Duration> busy_of_; // by stream
};

inline std::uint64_t segments_lost(const ConnectionFacts &c) {
    return c.segments().lost;
}
inline std::uint64_t spurious_repeats(const ConnectionFacts &c) {
    return c.segments().spurious;
}
inline std::uint64_t reordered_segments(const ConnectionFacts &c) {
    return c.segments().reordered;
}
// True if the tasks of this type come as many small Data PDUs, each of which costs the ends processor time:
// eight or more a task, with headers (48 bytes, RFC 7143 section 11.2.1) of 1 % of the bytes or more.
bool many_small_data_pdus(const TypeFacts &);
// True if segments above 536 bytes (RFC 9293 section 3.7.1) were sent and never acknowledged.
bool swallows_large(const TcpDirectionFigures &);
bool black_hole(const ConnectionFacts &); // either direction does
// True if a ping of the connection got no answer.
bool ping_unanswered(const FindingsInput &, StreamId stream);
// Returns by how much the round trip from the tap to the receiver of this direction exceeds its minimum under
// load. Zero if the tap is near the receiver, or the other direction carries the data: then delayed ACKs show
// instead.
Duration queueing_to_receiver(const ConnectionFacts &, PduDirection);
// Returns the direction whose sender waited longest for its receiver's window; null if none did.
const TcpDirectionFigures *window_limited(const ConnectionFacts &);
// Returns the figures of the opposite direction, with the SYN of the receiver; null if there are none.
const TcpDirectionFigures *receiver_of(const ConnectionFacts &, const TcpDirectionFigures *);

} // namespace iscsiscope
