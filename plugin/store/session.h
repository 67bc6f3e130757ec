// SPDX-License-Identifier: GPL-2.0-or-later
// Engine and records of one open file. A Session lives from Wireshark's init to its cleanup call.
#pragma once

#include "analyzer/capture/clock_steps.h"
#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/cycles/engine.h"
#include "analyzer/findings/facts/fact_collector.h"
#include "analyzer/pipeline/sink_fan.h"
#include "analyzer/sessions/session_analysis.h"
#include "plugin/store/store.h"

namespace iscsiscope::plugin {

class Session {
public:
    // Records that are kept besides cycles, bursts, gaps, events and anomalies.
    struct Extras {
        bool senders = true;  // estimates of what the sender of each segment knew
        bool findings = true; // findings of the whole capture
    };

    Session(EngineOptions, Extras);

    // Takes each IP packet of the file, in order.
    void feed(const Frame &packet) {
        if (finished_)
            return; // a statistic was drawn during a live capture
        if (!decoder_.decode(packet, segment_))
            return;
        segment_.time = clock_.time_of(segment_.time, segment_.frame, sinks_);
        engine_.feed(segment_);
    }
    // Ends the reading: open records become final, and the findings are made.
    void finish();

    // Coverage of what was fed up to now.
    const IscsiCoverage &coverage() const { return engine_.coverage(); }
    Store &store() { return store_; }
    const Store &store() const { return store_; }

private:
    Store store_;
    Extras extras_;
    SessionAnalysis analysis_;
    FactCollector facts_;
    SinkFan sinks_;
    FrameDecoder decoder_;
    ClockSteps clock_;
    Segment segment_;
    Engine engine_;
    bool finished_ = false;
};

// Returns the session of the open file. Null: no file is open.
Session *session();

// What taps receive: each cycle once, on the frame that ends it, and each gap. The store owns both.
struct TapItem {
    const Cycle *cycle;   // or null
    const GapRecord *gap; // or null
};

} // namespace iscsiscope::plugin
