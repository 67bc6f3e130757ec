// SPDX-License-Identifier: GPL-2.0-or-later
// The one list of findings. FindingKind, the names, the titles, the declarations of the rules and their table
// are all made from it; the rule of a kind is the function of its name, in rules/<kind>.cpp.
#pragma once

#include "analyzer/base/enum_list.h"

// Kind and title. The names are a contract (`findings[].kind` of the JSON report): none is renamed or
// removed. Their order decides between findings of equal rank.
#define ISCSISCOPE_FINDING_KINDS(X)                                                                          \
    X(delayed_ack, "Senders wait for delayed ACKs")                                                          \
    X(nagle, "Nagle's algorithm delays small segments")                                                      \
    X(no_window_scaling, "TCP window scaling is not in use")                                                 \
    X(small_receive_window, "A small receive window limits the rate")                                        \
    X(small_send_buffer, "A small send buffer seems to limit the rate")                                      \
    X(small_data_segments, "Data are carried in many small PDUs")                                            \
    X(r2t_ping_pong, "Writes wait for one R2T after another")                                                \
    X(no_unsolicited_data, "Writes spend a round trip on waiting for an R2T")                                \
    X(slow_r2t_answer, "The initiator is late to send Write data")                                           \
    X(queue_depth, "Too few commands in flight")                                                             \
    X(command_window, "The target's command window is too small")                                            \
    X(slow_target, "The target answers slowly")                                                              \
    X(blocking_command, "Long commands hold up Reads and Writes")                                            \
    X(head_of_line, "Small commands wait behind large transfers")                                            \
    X(nop_timeout, "iSCSI pings (NOP) get no answer")                                                        \
    X(abort_storm, "Commands were aborted or LUNs reset")                                                    \
    X(connection_reset, "Connections broke while in use")                                                    \
    X(incast, "Connections overflow a queue that they share")                                                \
    X(data_corruption, "Frames arrive damaged (wrong TCP checksum)")                                         \
    X(packet_loss, "Packets are lost")                                                                       \
    X(retransmission_timeout, "Lost packets are sent again only after a timeout")                            \
    X(outage, "The network path was interrupted")                                                            \
    X(bufferbloat, "A full queue on the path delays all packets")                                            \
    X(mtu_black_hole, "Large packets do not get through (MTU)")                                              \
    X(zero_window, "A receiver stops taking data (zero window)")                                             \
    X(reordering, "Packets overtake each other on the path")                                                 \
    X(duplication, "Packets arrive twice")                                                                   \
    X(path_imbalance, "Paths to one LUN carry unequal shares")                                               \
    X(connection_imbalance, "Connections of one session share the load unequally")                           \
    X(mirror_laggard, "One mirror member is slower than the other")                                          \
    X(digest_error, "iSCSI digests are wrong")                                                               \
    X(digest_cost, "Data digests may cost time")                                                             \
    X(portal_unreachable, "A portal cannot be reached")                                                      \
    X(target_moved, "The target sends its initiators away")                                                  \
    X(login_trouble, "Logins are refused or slow")                                                           \
    X(access_trouble, "Reservations or path states block commands")                                          \
    X(command_errors, "Commands fail")                                                                       \
    X(io_split, "Large requests are split into smaller commands")                                            \
    X(misaligned_io, "Reads and Writes are not aligned to 4 KiB")                                            \
    X(one_direction_slow, "One direction is much slower than the other")                                     \
    X(application_idle, "The host sends no commands at times")                                               \
    X(capture_quality, "The capture is not complete")

namespace iscsiscope {

ISCSISCOPE_ENUM(FindingKind, finding_names, finding_kind_count, ISCSISCOPE_FINDING_KINDS)

#define ISCSISCOPE_TITLE(kind, title) title,
inline constexpr std::string_view finding_titles[] = {ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_TITLE)};
#undef ISCSISCOPE_TITLE

// The title of the kind, "Writes wait for one R2T after another". A rule may give its finding a narrower one.
constexpr std::string_view title(FindingKind k) {
    return finding_titles[static_cast<std::size_t>(k)];
}

} // namespace iscsiscope
