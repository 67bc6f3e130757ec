// SPDX-License-Identifier: GPL-2.0-or-later
// CycleState: the state that the parts of the cycles room share. Owned by CycleEngine, one per engine.
#pragma once

#include "analyzer/base/containers/slab.h"
#include "analyzer/cycles/bursts/burst_tracker.h"
#include "analyzer/cycles/cycle_connection.h"
#include "analyzer/cycles/records/cycle_options.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/cycles/tasks/session_table.h"
#include "analyzer/cycles/tasks/task_table.h"
#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct CycleState {
    RecordTables records;
    CycleOptions options;
    SessionTable sessions;
    TaskTable tasks;
    Slab<BurstTracker> bursts;
    TcpDiagnosis *diagnosis = nullptr; // null: TCP analysis is off
    Ledger ledger{records};

    // What follows the write data of a task, from the first call on.
    BurstTracker &writing(Task &task) {
        if (task.writing == no_task) {
            task.writing = bursts.take();
            bursts[task.writing].clear();
        }
        return bursts[task.writing];
    }
    void anomaly(AnomalyKind kind, FrameNumber frame, const CycleConnection &c, std::int64_t detail = 0) {
        records.put(Anomaly{kind, known_frame(frame), c.tcp.stream, detail});
    }
};

} // namespace iscsiscope
