// SPDX-License-Identifier: GPL-2.0-or-later
// Which finding each wait counts for: one each, so that lost times never overlap.
#pragma once

#include "analyzer/findings/findings_input.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace iscsiscope {

// What one finding costs.
struct Lost {
    Waits waits;
    std::map<std::uint64_t, Duration> by_stream;
    std::map<WaitCause, Duration> by_cause;
    // While data passed, but slower than the path was seen to carry: beyond what the bytes need at its rate.
    Duration transfer{};

    Duration time() const { return waits.time + transfer; }
    // The connection that lost most; empty: none.
    std::optional<std::uint64_t> worst_stream() const;
};

// Connections whose losses a queue explains that all of them fill: the losses fall together in time more
// often than chance would have it, or they came when much was under way.
struct LossSynchrony {
    std::set<std::uint64_t> streams; // empty: neither is seen
    bool at_once = false;            // they fall together
    double together = 0;             // share of loss episodes with another connection's beside them
    double by_chance = 0;            // what independent losses at the same rates would show
    std::uint64_t episodes = 0;
    bool by_load = false;       // they came under load
    double under_way = 1;       // bytes under way behind lost segments over those behind all
    double standard_errors = 0; // by which that lies above 1, where chance leaves it
};
LossSynchrony loss_synchrony(const Facts &);

class Attribution {
public:
    explicit Attribution(const FindingsInput &);

    const Lost &to(FindingKind kind) const { return lost_[static_cast<std::size_t>(kind)]; }
    const LossSynchrony &synchrony() const { return synchrony_; }
    Duration active() const { return active_; }

private:
    void count_transfer(const FindingsInput &);
    std::optional<FindingKind> finding_of(WaitCause, const Waits &, const ConnectionFacts &,
                                          const FindingsInput &) const;

    std::array<Lost, finding_kind_count> lost_;
    LossSynchrony synchrony_;
    Duration active_{};
};

// Segments lost in both directions, and those sent again for nothing.
std::uint64_t segments_lost(const ConnectionFacts &);
std::uint64_t spurious_repeats(const ConnectionFacts &);
std::uint64_t reordered_segments(const ConnectionFacts &);
// A size above what every path must carry (RFC 9293 section 3.7.1: 536 bytes) was never acknowledged.
bool swallows_large(const TcpDirectionFigures &);
// The direction whose sender waited longest for its receiver's window; null: none did.
const TcpDirectionFigures *window_limited(const ConnectionFacts &);
// What the receiver of that direction offered in its SYN; null: its figures are not there.
const TcpDirectionFigures *receiver_of(const ConnectionFacts &, const TcpDirectionFigures *);

} // namespace iscsiscope
