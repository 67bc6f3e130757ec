// SPDX-License-Identifier: GPL-2.0-or-later
// Why a connection was idle (docs/figures.md, "Idle gap"): the one list of the kinds of idle gaps, in the
// order in which they are tried. The glossary states what was waited for during each.
#pragma once

#include "analyzer/base/enum_list.h"

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

namespace iscsiscope {

ISCSISCOPE_ENUM(GapKind, gap_names, gap_kind_count, ISCSISCOPE_GAP_KINDS)

} // namespace iscsiscope
