// SPDX-License-Identifier: GPL-2.0-or-later
// Engine and records of one open file. A Session lives from Wireshark's init to its cleanup call.
#pragma once

#include "analyzer/capture/clock_steps.h"
#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/cycles/engine.h"
#include "analyzer/figures/collector.h"
#include "analyzer/findings/facts/fact_collector.h"
#include "analyzer/pipeline/read_capture.h"
#include "analyzer/pipeline/sink_fan.h"
#include "analyzer/pipeline/unread_traffic.h"
#include "analyzer/sessions/session_analysis.h"
#include "plugin/store/store.h"

#include <algorithm>
#include <optional>

namespace iscsiscope::plugin {

class Session {
public:
    // Records that are kept besides cycles, bursts, gaps, events and anomalies.
    struct Extras {
        bool senders = true;  // estimates of what the sender of each segment knew
        bool findings = true; // the figures of the report, its findings among them
    };

    Session(EngineOptions, Extras);

    // Takes each frame of the file, in order, of those without an IP packet only the number.
    void feed(const Frame &packet) {
        if (finished_)
            return; // a statistic was drawn during a live capture
        ++frames_;
        first_ = first_.value_or(packet.time);
        last_ = std::max(last_.value_or(packet.time), packet.time);
        if (packet.bytes.empty() || !decoder_.decode(packet, segment_))
            return;
        segment_.time = clock_.time_of(segment_.time, segment_.frame, tables_);
        ports_.count(segment_);
        unread_.add(segment_);
        engine_.feed(segment_);
    }
    // A frame holds a TCP segment that was not found.
    void lost_segment(FrameNumber);
    // Ends the reading: open records become final, and the report is made.
    void finish();

    // The report on the whole file. Null: it is still being read, or Extras::findings is off.
    const Report *report() const { return report_ ? &*report_ : nullptr; }
    // Frames whose TCP segment was not found.
    std::uint64_t lost_segments() const { return lost_segments_; }

    Store &store() { return store_; }
    const Store &store() const { return store_; }

private:
    Store store_;
    Extras extras_;
    SessionAnalysis analysis_;
    FactCollector facts_;
    Collector collector_;
    SinkFan sinks_;
    RecordTables tables_;
    FrameDecoder decoder_;
    ClockSteps clock_;
    PortSurvey ports_;
    UnreadSurvey unread_;
    Segment segment_;
    Engine engine_;
    std::optional<Report> report_;
    std::uint64_t frames_ = 0, lost_segments_ = 0;
    std::optional<Time> first_, last_; // stamps: of frame 1, the latest
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
