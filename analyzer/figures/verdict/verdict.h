// SPDX-License-Identifier: GPL-2.0-or-later
// The verdict on a capture: who has most of the busy time, the first problem, and how sure that is
// (docs/figures.md, "Verdict").
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/figures/report.h"

#include <optional>

// What limits the verdict's certainty, the gravest first.
#define ISCSISCOPE_VERDICT_LIMITS(X)                                                                         \
    X(no_tasks)           /* no task with an answer */                                                       \
    X(clocks_differ)      /* the clocks of merged files differ */                                            \
    X(much_missing)       /* so much data is missing that no finding is certain */                           \
    X(one_direction)      /* packets of one direction only */                                                \
    X(owner_unknown)      /* half of the busy time or more has no known owner */                             \
    X(coarse_clock)       /* a command's time is shorter than a tick of the capture's clock */               \
    X(not_whole)          /* tasks were not seen whole, or packets were dropped or cut */                    \
    X(few_tasks)          /* fewer than 20 tasks */                                                          \
    X(round_trip_unknown) /* without a round trip the parts of network and ends are not known exactly */     \
    X(small_margin)       /* the next owner has as much, within the accuracy of the round trip */

namespace iscsiscope {

#define ISCSISCOPE_VERDICT_CERTAINTIES(X)                                                                    \
    X(certain)                                                                                               \
    X(likely)                                                                                                \
    X(cannot_be_told)

ISCSISCOPE_ENUM(VerdictCertainty, verdict_certainty_names, verdict_certainty_count,
                ISCSISCOPE_VERDICT_CERTAINTIES)
ISCSISCOPE_ENUM(VerdictLimit, verdict_limit_names, verdict_limit_count, ISCSISCOPE_VERDICT_LIMITS)

struct CaptureVerdict {
    VerdictCertainty certainty = VerdictCertainty::cannot_be_told;
    std::optional<VerdictLimit> limit; // the gravest; empty: nothing limits it
    // The owner of most of the busy time. The network has what is `transfer`, too: where a slower link lies
    // behind the tap, the two look the same. Empty without busy time.
    std::optional<Owner> owner;
    double owner_share = 0;           // of busy, 0..1
    Duration busy{};                  // of all connections, connection time
    Duration transfer{};              // of it, what is `transfer`
    const Finding *problem = nullptr; // the first finding, if it is a problem; of the report
    double idle_share = 0; // of the bursts of I/O in which the host gave no work, if that was found
};
CaptureVerdict capture_verdict(const Report &);

} // namespace iscsiscope
