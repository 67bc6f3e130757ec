// SPDX-License-Identifier: GPL-2.0-or-later
// The one list of findings. FindingKind, the names, the titles, the declarations of the rules and their table
// are all made from it; the rule of a kind is the function of its name, in rules/<kind>.cpp.
#pragma once

#include "analyzer/base/enum_list.h"

// Kind and title. The names are a contract (`findings[].kind` of the JSON report): none is renamed or
// removed. Their order decides between findings of equal rank.
#define ISCSISCOPE_FINDING_KINDS(X)                                                                          \
    X(delayed_ack, "ACKs held back while the sender could send nothing")                                     \
    X(nagle, "Small segments waited for an ACK")                                                             \
    X(no_window_scaling, "No window scaling")                                                                \
    X(small_receive_window, "The receive window sets the rate")                                              \
    X(small_send_buffer, "The send buffer sets the rate")                                                    \
    X(small_data_segments, "Many small Data PDUs")                                                           \
    X(r2t_ping_pong, "Round trips spent on R2Ts")                                                            \
    X(no_unsolicited_data, "A round trip that immediate data would save")                                    \
    X(slow_r2t_answer, "The initiator answers R2Ts late")                                                    \
    X(queue_depth, "Too little outstanding for the delay")                                                   \
    X(command_window, "The command window was closed")                                                       \
    X(slow_target, "The target is slow")                                                                     \
    X(blocking_command, "A long command stops others")                                                       \
    X(head_of_line, "Small commands wait behind large transfers")                                            \
    X(nop_timeout, "Pings without an answer")                                                                \
    X(abort_storm, "Commands aborted or reset")                                                              \
    X(connection_reset, "Connections broke")                                                                 \
    X(incast, "Many flows overflow one queue")                                                               \
    X(data_corruption, "Damaged frames arrive")                                                              \
    X(packet_loss, "Packets are lost")                                                                       \
    X(retransmission_timeout, "Time lost in retransmission timeouts")                                        \
    X(outage, "Nothing got through")                                                                         \
    X(bufferbloat, "A standing queue on the path")                                                           \
    X(mtu_black_hole, "Large segments never arrive")                                                         \
    X(zero_window, "The receiver takes no more data")                                                        \
    X(reordering, "Segments overtake each other")                                                            \
    X(duplication, "Segments arrive twice")                                                                  \
    X(path_imbalance, "Paths carry unequal shares")                                                          \
    X(connection_imbalance, "Connections carry unequal shares")                                              \
    X(mirror_laggard, "One member holds the mirror up")                                                      \
    X(digest_error, "Digests do not match")                                                                  \
    X(digest_cost, "Digests may cost time")                                                                  \
    X(portal_unreachable, "A portal cannot be reached")                                                      \
    X(target_moved, "The target sends its initiators away")                                                  \
    X(login_trouble, "Logins refused or slow")                                                               \
    X(access_trouble, "Reservations or path states in the way")                                              \
    X(command_errors, "Commands fail")                                                                       \
    X(io_split, "Requests arrive in pieces")                                                                 \
    X(misaligned_io, "Commands are not aligned")                                                             \
    X(one_direction_slow, "One direction is slow")                                                           \
    X(application_idle, "The host gives no work")                                                            \
    X(capture_quality, "The capture is not complete")

namespace iscsiscope {

ISCSISCOPE_ENUM(FindingKind, finding_names, finding_kind_count, ISCSISCOPE_FINDING_KINDS)

#define ISCSISCOPE_TITLE(kind, title) title,
inline constexpr std::string_view finding_titles[] = {ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_TITLE)};
#undef ISCSISCOPE_TITLE

// "Round trips spent on R2Ts"
constexpr std::string_view title(FindingKind k) {
    return finding_titles[static_cast<std::size_t>(k)];
}

} // namespace iscsiscope
