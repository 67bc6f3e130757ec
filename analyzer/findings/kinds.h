// SPDX-License-Identifier: GPL-2.0-or-later
// The one list of findings. FindingKind, the names, the titles, the declarations of the rules and their table
// are all made from it; the rule of a kind is the function of its name, in rules/<kind>.cpp.
#pragma once

#include "analyzer/base/enum_list.h"

// Kind, nature, scope (FigureScope) and title. The names are a contract (`findings[].kind` of the JSON
// report): none is renamed or removed. Their order decides between findings of equal rank. A rule may give
// its finding another nature, where the kind has both.
#define ISCSISCOPE_FINDING_KINDS(X)                                                                          \
    X(delayed_ack, fault, whole, "Senders wait for delayed ACKs")                                            \
    X(nagle, fault, tasks, "Nagle's algorithm delays small segments")                                        \
    X(no_window_scaling, fault, whole, "TCP window scaling is not in use")                                   \
    X(small_receive_window, fault, whole, "A small receive window limits the rate")                          \
    X(small_send_buffer, fault, whole, "A small send buffer seems to limit the rate")                        \
    X(slow_start, fault, whole, "The congestion window begins anew")                                         \
    X(small_data_segments, fault, tasks, "Data are carried in many small PDUs")                              \
    X(r2t_ping_pong, fault, tasks, "Writes wait for one R2T after another")                                  \
    X(no_unsolicited_data, fault, tasks, "Writes spend a round trip on waiting for an R2T")                  \
    X(slow_r2t_answer, fault, tasks, "The initiator is late to send Write data")                             \
    X(queue_depth, trait, tasks, "Too few commands in flight")                                               \
    X(command_window, fault, whole, "The target's command window is too small")                              \
    X(slow_target, fault, tasks, "The target answers slowly")                                                \
    X(blocking_command, fault, tasks, "Long commands hold up Reads and Writes")                              \
    X(head_of_line, fault, tasks, "Small commands wait behind large transfers")                              \
    X(nop_timeout, fault, whole, "iSCSI pings (NOP) get no answer")                                          \
    X(abort_storm, fault, events, "Commands were aborted or LUNs reset")                                     \
    X(duplicate_initiator, failure, whole, "Hosts log in as one and throw each other out")                   \
    X(address_conflict, failure, whole, "Another machine answers with an end's address")                     \
    X(target_restart, failure, whole, "The target restarted")                                                \
    X(failover, failure, whole, "I/O stalled until another path took it")                                    \
    X(target_closed, failure, whole, "The target ends connections")                                          \
    X(connection_reset, consequence, whole, "Connections broke while in use")                                \
    X(incast, fault, whole, "Connections overflow a queue that they share")                                  \
    X(data_corruption, failure, whole, "Frames arrive damaged (wrong TCP checksum)")                         \
    X(packet_loss, fault, whole, "Packets are lost")                                                         \
    X(retransmission_timeout, fault, whole, "Lost packets are sent again only after a timeout")              \
    X(outage, failure, events, "The network path was interrupted")                                           \
    X(bufferbloat, fault, whole, "A full queue on the path delays all packets")                              \
    X(mtu_black_hole, fault, whole, "Large packets do not get through (MTU)")                                \
    X(zero_window, fault, whole, "A receiver stops taking data (zero window)")                               \
    X(reordering, fault, whole, "Packets overtake each other on the path")                                   \
    X(duplication, harm, whole, "Packets arrive twice")                                                      \
    X(path_imbalance, fault, whole, "Paths to one LUN carry unequal shares")                                 \
    X(connection_imbalance, harm, whole, "Connections of one session share the load unequally")              \
    X(mirror_laggard, harm, whole, "One mirror member is slower than the other")                             \
    X(digest_error, failure, whole, "iSCSI digests are wrong")                                               \
    X(digest_cost, trait, tasks, "Data digests may cost time")                                               \
    X(portal_unreachable, failure, whole, "A portal cannot be reached")                                      \
    X(target_moved, fault, whole, "The target sends its initiators away")                                    \
    X(login_trouble, fault, whole, "Logins are refused or slow")                                             \
    X(protocol_violation, failure, whole, "An end breaks the iSCSI protocol")                                \
    X(discovery_trouble, fault, whole, "Discovery of targets fails")                                         \
    X(shared_writes, harm, whole, "Two hosts write the same blocks of one LUN")                              \
    X(short_data, failure, tasks, "Commands end with GOOD and less data than asked for")                     \
    X(lun_missing, fault, whole, "A LUN is not mapped for this initiator")                                   \
    X(space_exhausted, fault, tasks, "The pool behind a thin LUN is full")                                   \
    X(access_trouble, fault, whole, "Reservations or path states block commands")                            \
    X(config_changes, fault, tasks, "LUN sizes or mappings change again and again")                          \
    X(command_errors, fault, tasks, "Commands fail")                                                         \
    X(io_split, trait, whole, "Large requests are split into smaller commands")                              \
    X(misaligned_io, trait, whole, "Reads and Writes are not aligned to 4 KiB")                              \
    X(one_direction_slow, trait, all_tasks, "One direction is much slower than the other")                   \
    X(full_link, trait, whole, "The link is full")                                                           \
    X(application_idle, trait, all_tasks, "The host sends no commands at times")                             \
    X(capture_quality, fault, whole, "The capture is not complete")

namespace iscsiscope {

ISCSISCOPE_ENUM(FindingKind, finding_names, finding_kind_count, ISCSISCOPE_FINDING_KINDS)

// What a finding is: it decides on severity and place before any time does (rating.h).
enum class Nature : std::uint8_t {
    doubt,       // so much of the capture is missing that no other finding is certain
    failure,     // commands, logins or connections failed
    consequence, // a failure that often follows from another
    harm,        // a fault that hurts by itself, whatever time the capture shows for it
    fault,       // something is lost, too small, or slow beyond what is ordinary
    trait,       // what the work or an end is like, and no fault
};

// What the figures of a kind's sentence are of.
enum class FigureScope : std::uint8_t {
    tasks,     // single tasks: a range and a filter limit them
    all_tasks, // all tasks together: a range limits them, with a filter there is no such finding
    events,    // events of connections and LUNs: a range limits them, no filter
    whole,     // the whole capture: figures of TCP or of sessions
};

struct KindTraits {
    Nature nature;
    FigureScope scope;
    std::string_view title;
};
#define ISCSISCOPE_TRAITS(kind, nature, scope, title) {Nature::nature, FigureScope::scope, title},
inline constexpr KindTraits kind_traits[] = {ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_TRAITS)};
#undef ISCSISCOPE_TRAITS

constexpr const KindTraits &traits(FindingKind k) {
    return kind_traits[static_cast<std::size_t>(k)];
}

// The title of the kind, "Writes wait for one R2T after another". A rule may give its finding a narrower one.
constexpr std::string_view title(FindingKind k) {
    return traits(k).title;
}

} // namespace iscsiscope
