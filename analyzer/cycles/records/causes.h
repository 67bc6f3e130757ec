// SPDX-License-Identifier: GPL-2.0-or-later
// Why a time passed: the one list of causes, of idle gaps (docs/figures.md, "Idle gap") and of the entries of
// the ledger (docs/ledger.md). The kinds of idle gaps come first, in the order in which they are tried; the
// glossary states what was waited for during each. What follows them, an entry states more exactly than its
// gap's kind.
#pragma once

#include "analyzer/base/enum_list.h"

#include <cstddef>

#define ISCSISCOPE_GAP_KINDS(X)                                                                              \
    X(capture_loss)                                                                                          \
    X(path_down)                                                                                             \
    X(retransmission_timeout)                                                                                \
    X(fast_retransmit)                                                                                       \
    X(window_closed)                                                                                         \
    X(delayed_ack)                                                                                           \
    X(ack_held_status)                                                                                       \
    X(ack_held_data)                                                                                         \
    X(cwnd_limited)                                                                                          \
    X(send_buffer)                                                                                           \
    X(command_window)                                                                                        \
    X(target_first_data)                                                                                     \
    X(target_r2t)                                                                                            \
    X(target_status)                                                                                         \
    X(target_data)                                                                                           \
    X(initiator_burst)                                                                                       \
    X(initiator_data)                                                                                        \
    X(initiator_idle)                                                                                        \
    X(initiator_pause)                                                                                       \
    X(control)                                                                                               \
    X(unclassified)

#define ISCSISCOPE_CAUSES(X)                                                                                 \
    ISCSISCOPE_GAP_KINDS(X)                                                                                  \
    X(transfer)   /* bytes pass */                                                                           \
    X(spacing)    /* between bytes that pass, beyond what they need */                                       \
    X(round_trip) /* the distance to the awaited end and back, of a Read, a Write or the next command */     \
    X(r2t_chain)  /* the same, for an R2T of a Write with several */                                         \
    X(r2t_single) /* the same, for the only R2T of a Write */                                                \
    X(other_round_trip) /* the same, of what is neither Read nor Write */                                    \
    X(queueing)         /* on the way, beyond the distance */                                                \
    X(slow_start)       /* cwnd_limited, by a window that grows from its start */                            \
    X(outage)           /* path_down or retransmission_timeout while nothing got through */                  \
    X(blocked)          /* the target's time beside a long command without data transfer */                  \
    X(task_ended)       /* the target's time for a task that was aborted or reset */

namespace iscsiscope {

ISCSISCOPE_ENUM(Cause, cause_names, cause_count, ISCSISCOPE_CAUSES)

// What the kind of an idle gap can be: the causes up to `unclassified`.
using GapKind = Cause;
inline constexpr std::size_t gap_kind_count = static_cast<std::size_t>(GapKind::unclassified) + 1;

} // namespace iscsiscope
