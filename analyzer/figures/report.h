// SPDX-License-Identifier: GPL-2.0-or-later
// Report: all figures of a capture that a report shows in any format. read_report() fills it.
#pragma once

#include "analyzer/base/extent.h"
#include "analyzer/figures/ladder.h"
#include "analyzer/figures/tallies.h"
#include "analyzer/figures/timeline.h"
#include "analyzer/findings/finding.h"
#include "analyzer/model/model.h"
#include "analyzer/pipeline/read_capture.h"
#include "analyzer/query/column.h"
#include "analyzer/sessions/figures/session_figures.h"
#include "analyzer/tcp/tcp_figures.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

struct FailedLogin {
    StreamId stream;
    Login login;
};

// Measured and modelled cycles of Reads or of Writes.
struct ModelRow {
    ModelInput input;
    ModelledCycle cycle;
    std::vector<KeyVerdict> keys;
};

struct Report {
    CaptureSummary capture;
    std::optional<std::string> sha256; // of the file, hexadecimal
    TimeRange range;
    std::string filter; // of the cycles, as the user wrote it; empty: none

    std::array<AnomalyTally, anomaly_kind_count> anomalies;

    std::array<TypeTally, task_type_count> types;
    Extent at_tap, at_initiator;                  // from the first start to the last end of the tasks counted
    RateTally rates;                              // of all sessions together
    std::map<SessionId, RateTally> session_rates; // of the sessions with Reads or Writes
    BurstTally bursts;
    GapTally gaps;
    ActiveTime time;
    WireTally wire;                                      // of all connections together
    std::array<OwnerTimes, task_type_count> type_owners; // of busy time, by the type of the oldest open task
    std::map<SessionId, ActiveTime> session_time;        // by the session of the connection at its end

    std::map<SessionId, SessionRecord> sessions;
    std::map<SessionId, Downtime> downtimes;   // by session; none is known with a range or a filter
    std::vector<ConnectionRecord> connections; // by stream
    std::map<std::pair<SessionId, std::uint64_t>, LunTally> luns;
    std::map<std::pair<SessionId, std::uint64_t>, LunRecord> lun_facts;
    // Results of the rooms tcp, sessions, model and findings. Range and filter limit the connections in
    // `tcp`, and the waits and tasks behind findings, the range those behind models; figures of tcp and
    // sessions always cover whole connections.
    std::vector<TcpDirectionRow> tcp; // of the connections above, to_target first
    std::optional<SessionFigures> session_figures;
    std::vector<ModelRow> models; // reads, then writes; none without such tasks
    std::optional<FindingsResult> findings;
    // For charts; empty unless ReportRequest::charts is set.
    Timeline timeline;
    std::vector<Ladder> ladders;

    // Numbers of entries that are not listed above because of the limits.
    std::uint64_t sessions_left_out = 0, connections_left_out = 0, lun_tasks_left_out = 0;

    std::vector<CommandTally> commands; // by opcode and service action
    std::vector<SenseTally> senses;
    std::vector<EventTally> events;
    std::uint64_t failed_logins = 0;
    std::vector<FailedLogin> first_failed_logins;
    std::array<std::array<std::uint64_t, 64>, 2> pdus{}; // by direction and opcode

    const TypeTally &of(TaskType t) const { return types[static_cast<std::size_t>(t)]; }
    std::uint64_t tasks() const { return types[0].count + types[1].count + types[2].count; }
};

} // namespace iscsiscope
