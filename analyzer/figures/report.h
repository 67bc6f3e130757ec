// SPDX-License-Identifier: GPL-2.0-or-later
// Everything a report shows, whatever its format. The collector fills it; rooms to come add their
// part as a member and a section of each format.
#pragma once

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
    std::uint64_t stream = 0;
    Login login;
};

// Reads or Writes as measured and as modelled.
struct ModelRow {
    ModelInput input;
    ModelledCycle cycle;
    std::vector<KeyVerdict> keys;
};

struct Report {
    CaptureSummary capture;
    std::optional<std::string> sha256; // of the file, hexadecimal
    TimeRange range;
    std::string filter; // of the cycles, as written; empty: none

    std::array<AnomalyTally, anomaly_kind_count> anomalies;

    std::array<TypeTally, task_type_count> types;
    std::optional<Time> first_start, last_end; // over the tasks counted
    BurstTally bursts;
    GapTally gaps;
    ActiveTime time;

    std::map<std::uint64_t, SessionRecord> sessions;
    std::vector<ConnectionRecord> connections; // by stream
    std::map<std::pair<std::uint64_t, std::uint64_t>, LunTally> luns;
    std::map<std::pair<std::uint64_t, std::uint64_t>, LunRecord> lun_facts;
    // By the rooms tcp, sessions, model and findings. The filter bounds none of them. The range bounds the
    // connections of tcp, and the waits, tasks and events behind models and findings; what tcp and sessions
    // say is of whole connections.
    std::vector<TcpDirectionRow> tcp; // of the connections above, to_target first
    std::optional<SessionFigures> session_figures;
    std::vector<ModelRow> models; // reads, then writes, of those that there are
    std::optional<FindingsResult> findings;
    // For charts; empty where nobody asked for them.
    Timeline timeline;
    std::vector<Ladder> ladders;

    // What is not listed above because there were too many.
    std::uint64_t sessions_left_out = 0, connections_left_out = 0, lun_tasks_left_out = 0;

    std::vector<CommandTally> commands; // by opcode and service action
    std::vector<SenseTally> senses;
    std::vector<EventTally> events;
    std::uint64_t failed_logins = 0;
    std::vector<FailedLogin> first_failed_logins;
    std::array<std::array<std::uint64_t, 64>, 2> pdus{}; // by direction and opcode

    const TypeTally &of(TaskType t) const { return types[static_cast<std::size_t>(t)]; }
    std::uint64_t tasks() const { return types[0].count + types[1].count + types[2].count; }
    std::uint64_t anomaly_count() const;
    // From the first command to the last end, within the range; what rates are taken over. None: no task.
    std::optional<Duration> elapsed() const;
};

} // namespace iscsiscope
