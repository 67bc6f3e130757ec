// SPDX-License-Identifier: GPL-2.0-or-later
// Facts: what the rules read besides the figures of other rooms. Plain sums of bounded size.
#pragma once

#include "analyzer/base/containers/boxed_optional.h"
#include "analyzer/base/histogram.h"
#include "analyzer/capture/anomaly.h"
#include "analyzer/cycles/records/attempt_record.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/findings/facts/busy_course.h"
#include "analyzer/findings/facts/lun_type_sums.h"
#include "analyzer/findings/facts/refusals.h"
#include "analyzer/findings/facts/short_data.h"
#include "analyzer/findings/facts/waits.h"
#include "analyzer/model/model.h"
#include "analyzer/tallies/segment_sums.h"
#include "analyzer/tallies/task_sums.h"
#include "analyzer/tcp/tcp_figures.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

// The tasks that were open when their connection was lost.
struct LostTasks {
    std::uint64_t count = 0, reads = 0, writes = 0;
    Duration oldest{}; // from its command to the loss
    OptionalFrame first_command;
};

// A CHECK CONDITION with a UNIT ATTENTION of a reset (additional sense code 29h, SPC-4 annex F).
struct ResetAttention {
    std::uint32_t sense = 0; // packed() of sense.h
    OptionalFrame frame;     // its status
    Time time{};
};

struct ConnectionFacts {
    ConnectionRecord record;        // complete once the connection has ended
    std::map<WaitKey, Waits> waits; // of its idle gaps
    OwnerTimes runs;                // of its busy time, what passed without an idle gap
    LunTypeSums by_lun;             // tasks, and busy time
    Course course;                  // of its busy time
    IdlePauses idle;
    FinalDirectionFigures to_target, to_initiator; // null until the connection has ended
    LostTasks lost_tasks;
    Time last_end = Time::min(); // of the task that ended last, its outcome, and its status
    TaskOutcome last_outcome = TaskOutcome::good;
    OptionalFrame last_status;
    BoxedOptional<EventRecord> logout_request; // the first
    BoxedOptional<EventRecord> sent_away;      // the first Async Message that asks for a logout, or drops it
    BoxedOptional<ResetAttention> reset_attention; // the first
    OptionalFrame last_answer;                     // the last status of a task
    std::optional<Time> last_answered;             // when it was delivered
    std::vector<OutageInterval> outages;           // in order of time, at most 64

    Time repaired = Time::min(); // of the last loss that the course of losses has

    Duration active() const { return record.active().value_or(Duration{}); }
    // Busy time; the active life where that is not known.
    Duration busy() const { return record.busy().value_or(active()); }
    const TcpDirectionFigures *direction(PduDirection d) const {
        const auto &f = d == PduDirection::to_target ? to_target : to_initiator;
        return f.get();
    }
    SegmentSums segments() const; // of both directions
    std::optional<Duration> rtt() const {
        if (!record.rtt_to_initiator || !record.rtt_to_target)
            return std::nullopt;
        return *record.rtt_to_initiator + *record.rtt_to_target;
    }
};

struct TypeFacts : TaskSums {
    // Tasks after which another command came, and those of them after which it came at once
    // (count_next).
    std::uint64_t followed = 0, followed_at_once = 0;
    Histogram turnaround;   // from the end of a task to the next command, the one-way delay to the initiator
                            // subtracted, ns
    Course response_course; // response times, at their commands
    Duration followed_time{}; // sum of the cycles: tasks with their turnarounds

    // True if a command follows the end of another. At once: within the host's reaction time; or after the
    // same work of the host each time: nine of ten turnarounds take at least half of the median one, where
    // commands that are issued independently of completions wait for any time, and a task takes three
    // quarters of its cycle, so that a second one would hide the rest.
    bool closed_loop() const;
};

struct LunFacts {
    SessionId session;
    std::uint64_t lun = 0;
    // Known service times by type and size: Reads, then Writes, of up to 4, 16, 64, 256 KiB and of more.
    static constexpr std::size_t size_classes = 5;
    std::array<Histogram, 2 * size_classes> service_by_size;
    Histogram service;                    // all of them, ns
    std::array<Course, 2> service_course; // the same, at their commands: of Reads, of Writes
    std::uint64_t answered = 0; // Reads and Writes with a status, also those whose service time is not known
    struct Slowest {
        Duration service{};
        OptionalFrame command_frame, answer_frame;
    };
    std::array<Slowest, 3> slowest{};
};

struct OutcomeFacts {
    std::uint64_t count = 0, of_transfers = 0;
    OptionalFrame first_command, first_end;
    Duration longest{}; // longest time from the command to this outcome
    Course course{};    // from each command to its end
};

struct EventFacts {
    std::uint64_t count = 0;
    std::vector<EventRecord> first; // at most 4
};

// Small tasks that ended after a large transfer of the same connection (behind), and the others (alone).
struct HeadOfLineFacts {
    std::uint64_t behind = 0, alone = 0;
    Duration behind_time{}, alone_time{};
    Duration longest{};
    OptionalFrame small_frame, large_frame, end_frame; // of the longest
};

// Long commands without data transfer (WRITE SAME, UNMAP, copies, cache flushes), and the Reads and Writes
// that ran at the same time (blocked) or not (free).
struct BlockingFacts {
    std::uint64_t commands = 0, blocked = 0, free = 0;
    Duration longest{}, blocked_time{}, free_time{};
    std::uint8_t opcode = 0; // of the longest
    OptionalFrame command_frame, end_frame;
};

struct LossMoment {
    Time time{};
    StreamId stream;
};

// An attempt to open a connection that was refused or got no answer, from its first SYN to its last segment.
struct FailedAttempt {
    Time start{}, end{};
    bool refused = false;
    OptionalFrame answer_frame{}; // the RST
    Endpoint initiator{};
    std::uint32_t syns = 0;
};

// The attempts to open a TCP connection to one address and port.
struct PortalFacts {
    static constexpr std::size_t max_times = 256; // of each list

    Endpoint portal;
    bool known_port = false; // 3260, 860 or one that the user named
    bool host_seen = false;  // the capture holds a segment from that host
    std::uint64_t accepted = 0, refused = 0, unanswered = 0, not_known = 0;
    std::uint64_t unanswered_syns = 0;
    OptionalFrame first_syn, first_refusal; // of the attempts that failed
    FrameNumber last_syn = 0;               // likewise
    std::vector<FailedAttempt> failed;      // the first of them
    std::vector<Time> accepted_at;          // the first of them
    std::vector<AttemptRecord> unclear;     // the first of those that are not known

    void add(const AttemptRecord &);
    // Packets from there did not reach the portal: those of `unclear` count as unanswered.
    void not_reached(const Endpoint &initiator);
    // A single SYN from there went as far as it was sent, as that of a traceroute: nothing is known of it.
    void traced(const Endpoint &initiator);
    std::uint64_t failures() const { return refused + unanswered; }
    std::uint64_t attempts() const { return accepted + failures() + not_known; }
};

struct Facts {
    std::deque<ConnectionFacts> connections; // a deque keeps pointers to its elements valid
    std::uint64_t connections_left_out = 0;

    std::array<TypeFacts, 3> types;   // by TaskType
    std::array<OwnerTimes, 3> owners; // of busy time, by TaskType
    BusyCourse course;                // of these connections
    std::vector<LunFacts> luns;
    std::array<OutcomeFacts, static_cast<std::size_t>(TaskOutcome::no_command) + 1> outcomes;
    std::map<std::uint32_t, SenseSums> senses;
    // CHECK CONDITION whose sense data was not sent, or is cut in the capture: of Reads and Writes, and the
    // number of other commands.
    SenseSums transfers_without_sense;
    std::uint64_t others_without_sense = 0;
    RefusalFacts refusals;                                        // the same by logical unit and command
    std::map<std::pair<Opcode, std::uint8_t>, EventFacts> events; // by opcode and code
    HeadOfLineFacts head_of_line;
    BlockingFacts blocking;
    std::vector<ShortTasks> short_tasks; // of which data is missing
    std::vector<PortalFacts> portals;    // any TCP service; at most 256 of known ports and 256 others
    std::vector<LossMoment> losses;      // in order of their records, at most 16,384
    std::array<std::uint64_t, anomaly_kind_count> anomalies{};
    std::array<std::vector<Anomaly>, anomaly_kind_count> first_anomalies; // at most 3 each
    std::vector<ModelInput> models;

    const TypeFacts &of(TaskType t) const { return types[static_cast<std::size_t>(t)]; }
    const OutcomeFacts &of(TaskOutcome o) const { return outcomes[static_cast<std::size_t>(o)]; }
    std::uint64_t count(AnomalyKind k) const { return anomalies[static_cast<std::size_t>(k)]; }
    // The type, Read or Write, that moved more bytes.
    const TypeFacts &more_bytes() const {
        const TypeFacts &reads = of(TaskType::read), &writes = of(TaskType::write);
        return reads.bytes >= writes.bytes ? reads : writes;
    }
    Duration active() const;
    Duration busy() const;
    Duration response() const; // of all types, saturated
};
// Of all connections, in one direction or in both.
SegmentSums segments_of(const Facts &, PduDirection);
SegmentSums segments_of(const Facts &);
// Null without measured Reads or Writes.
const ModelInput *model_of(const Facts &, TaskType);
// Null if the connection has no facts or is not given.
const ConnectionFacts *connection_of(const Facts &, std::optional<StreamId>);

} // namespace iscsiscope
