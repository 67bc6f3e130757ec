// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/cycles/records.h"

namespace iscsiscope {

// What the engine tells its front ends. Every function has an empty body: override what you need.
class RecordSink : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}

    // Each PDU of an iSCSI connection when delivered.
    virtual void on_pdu(const Connection &, const Pdu &) {}
    // Causal: the task has just ended; late members of the record are empty. On the frame being fed.
    virtual void on_cycle_end(const CycleRecord &) {}
    // Final: all members, late ones included. Once per task, nothing dropped; bursts of the task come
    // just before it. Order: as they become final, not by cycle number.
    virtual void on_cycle(const CycleRecord &) {}
    virtual void on_burst(const BurstRecord &) {}
    // Final. In order of end within a connection.
    virtual void on_gap(const GapRecord &) {}
    virtual void on_event(const EventRecord &) {}
    virtual void on_lun(const LunRecord &) {}         // again whenever more became known; last one counts
    virtual void on_session(const SessionRecord &) {} // when the session is met
    virtual void on_login(const Connection &, const Login &) {}
    // An iSCSI connection has ended, or the capture has.
    virtual void on_connection(const ConnectionRecord &) {}
};

} // namespace iscsiscope
