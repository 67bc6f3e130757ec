// SPDX-License-Identifier: GPL-2.0-or-later
// Stories: which one kind of finding each connection that broke belongs to, by what came before its end, who
// ended it, and what came after. The rules of these kinds ask here, so that none of them has to exclude
// another, and Attribution gives them the time that was lost.
//
// The first that holds (docs/findings.md, "Order"): protocol_violation, duplicate_initiator,
// address_conflict, target_restart, failover, digest_error, mtu_black_hole, nop_timeout, outage,
// target_closed, connection_reset.
#pragma once

#include "analyzer/findings/attribution/breaks.h"
#include "analyzer/findings/attribution/consequences.h"
#include "analyzer/findings/attribution/evictions.h"
#include "analyzer/findings/attribution/foreign_reset.h"
#include "analyzer/findings/attribution/restarts.h"
#include "analyzer/findings/findings_input.h"
#include "analyzer/sessions/figures/failover_figures.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace iscsiscope {

class Stories {
public:
    // The facts and figures must outlive it; the consequences need not.
    Stories(const FindingsInput &, const Consequences &);
    Stories(const Stories &) = delete;
    Stories &operator=(const Stories &) = delete;

    // In order of the connections.
    const std::vector<Break> &breaks() const { return breaks_; }
    std::vector<const Break *> breaks_of(FindingKind) const;
    // Of a connection that broke or, for failover, that went silent. Empty: it is in no story.
    std::optional<FindingKind> of(StreamId stream) const;
    // True if the story is one of those that say what nop_timeout, outage and connection_reset leave open.
    bool has_cause(StreamId stream) const;
    // The kind to which the time in which nothing got through belongs; empty: to none of the stories.
    std::optional<FindingKind> lost_time(const ConnectionFacts &) const;

    const std::vector<Eviction> &all_evictions() const { return evictions_; }
    bool hosts_evict_each_other() const { return mutual_; }
    const ForeignReset *foreign(const Break &) const;
    const Restart *restart(const Break &) const;
    // By time of the first command that was lost; of paths that the host gave up for others.
    const std::vector<const Failover *> &failovers() const { return failovers_; }

private:
    FindingKind kind_of(const Break &, const FindingsInput &, const Consequences &) const;
    void find_failovers(const FindingsInput &);
    std::size_t resets_of_target(const Break &) const;

    std::vector<Break> breaks_;
    std::vector<Eviction> evictions_;
    bool mutual_ = false;
    std::map<StreamId, ForeignReset> foreign_;
    std::map<StreamId, Restart> restarts_;
    std::vector<const Failover *> failovers_;
    std::set<StreamId> moved_; // failovers to another machine with the target's address
    std::map<StreamId, FindingKind> kinds_;
};

} // namespace iscsiscope
