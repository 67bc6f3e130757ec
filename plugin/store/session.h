// SPDX-License-Identifier: GPL-2.0-or-later
// One open file: the engine and its records. Between Wireshark's init and cleanup calls.
#pragma once

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/cycles/engine.h"
#include "analyzer/findings/facts/fact_collector.h"
#include "analyzer/pipeline/sink_fan.h"
#include "analyzer/sessions/session_analysis.h"
#include "plugin/store/store.h"

namespace iscsiscope::plugin {

class Session {
public:
    // What is kept besides cycles, bursts, gaps, events and anomalies.
    struct Extras {
        bool senders = true;  // what senders of segments knew
        bool findings = true; // causes drawn from the capture as a whole
    };

    Session(EngineOptions, Extras);

    // Each IP packet of the file.
    void feed(const Frame &packet) {
        if (finished_)
            return; // a statistic was drawn before the end of a live capture
        if (decoder_.decode(packet, segment_))
            engine_.feed(segment_);
    }
    // No more frames will come: what is open becomes final, and the findings are made.
    void finish();

    Store &store() { return store_; }
    const Store &store() const { return store_; }

private:
    Store store_;
    Extras extras_;
    SessionAnalysis analysis_;
    FactCollector facts_;
    SinkFan sinks_;
    FrameDecoder decoder_;
    Segment segment_;
    Engine engine_;
    bool finished_ = false;
};

// Null: no file is open.
Session *session();

// What is tapped for each cycle once, on the frame that ends it, and for each gap. Lives in the store.
struct TapItem {
    const Cycle *cycle;   // or null
    const GapRecord *gap; // or null
};

} // namespace iscsiscope::plugin
