// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of the connections of a session: throughput of each by interval, from the bytes of its stream
// (ThroughputFigures), the policy by which the initiator chose among them (DispatchFigures), and the delays
// that command order cost (HoldFigures).
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/base/histogram.h"
#include "analyzer/base/ratio.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/figures/spread.h"
#include "analyzer/sessions/figures/throughput_rows.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

struct ThroughputFigures {
    GroupId session; // group's number
    // The session's first command. For sessions without a login, whose first command is not known, the first
    // command in the capture of all such sessions.
    Time first{};
    Duration interval{}; // T_m
    std::vector<StreamId> streams;
    ThroughputRows rows;
    std::uint64_t intervals_left_out = 0; // at the end, beyond the table's bound
    // Over the whole active life of the session, incomplete intervals included.
    struct Total {
        std::uint64_t stream_bytes = 0; // from `first` on
        std::uint64_t bytes = 0;        // of its tasks
        std::uint64_t tasks = 0;
    };
    std::vector<Total> totals; // by connection
    // From the first start to the last end of tasks, and of stretches of bytes of which no PDU is known.
    Duration active{};
    Spread total_rate; // stream bytes / active

    // Stream bytes per second of one connection (by its place in streams) in one interval.
    double rate(const ThroughputRow &row, std::size_t member) const {
        return ratio(row.stream_bytes[member], interval) * 1e9;
    }
};

#define ISCSISCOPE_DISPATCH_POLICIES(X)                                                                      \
    X(single)       /* only one connection carries commands */                                               \
    X(round_robin)  /* connections in a fixed cyclic order */                                                \
    X(least_loaded) /* a connection with the fewest commands outstanding, as the initiator knew it */        \
    X(other)        /* neither round_robin nor least_loaded explains nine of ten choices */                  \
    /* Fewer than 20 choices; or as `other`, but captured more than a third of the round trip away from the  \
       initiator, so that its knowledge at each choice is not known. */                                      \
    X(unknown)
ISCSISCOPE_ENUM(DispatchPolicy, dispatch_policy_names, dispatch_policy_count, ISCSISCOPE_DISPATCH_POLICIES)

// How the initiator distributed commands among the connections of one session.
struct DispatchFigures {
    GroupId session;
    std::vector<StreamId> streams;
    DispatchPolicy policy = DispatchPolicy::unknown;
    std::uint64_t choices = 0;         // pairs of commands with CmdSN n and n + 1, both seen
    double round_robin_share = 0;      // choices that the best fixed order explains, 0..1
    std::uint64_t unequal_choices = 0; // choices made while the loads of the connections differed
    double least_loaded_share = 0;     // of these, choices of a connection with the fewest outstanding, 0..1
    std::vector<std::uint64_t> commands; // by connection
};

// ExpCmdSN hold: a command had reached the target while one with a lower CmdSN, of another connection, had
// not, so that the target could not begin the first (RFC 7143 section 4.2.2.1). A command is taken to reach
// the target half of rtt_to_target after it passed the tap, and in the order of passing: delays behind the
// tap are not seen. ExpCmdSN itself is too late a sign: the target writes it into a response that then waits
// in its send buffer and crosses the network.
struct HoldFigures {
    GroupId session;
    struct Member {
        StreamId stream;
        std::uint64_t holds = 0; // holds that commands of this connection caused
        Duration held{};         // sum of their durations
        Duration longest{};
        FrameNumber longest_frame = 0; // missing command of the longest hold
        std::uint64_t commands = 0;    // commands of this connection
        Histogram lengths;             // durations of the holds, ns
    };
    std::vector<Member> members; // by connection
    Duration held{};             // holds never overlap: the sum over members
    // True if captured at or near the target; else only the holds that arose before the tap are included.
    bool whole = false;
    // Hold time over the session's active life, 0..1.
    double share = 0;
};

} // namespace iscsiscope
