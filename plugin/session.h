// SPDX-License-Identifier: GPL-2.0-or-later
// One open file: the engine and what it said. Between Wireshark's init and cleanup calls.
#pragma once

#include "analyzer/capture/frame_decoder.h"
#include "analyzer/cycles/engine.h"
#include "plugin/store.h"

namespace iscsiscope::plugin {

class Session {
public:
    Session(EngineOptions options, bool senders)
        : store_(senders), decoder_(store_), engine_(store_, std::move(options)) {}

    // Each IP packet of the file.
    void feed(const Frame &packet) {
        if (finished_)
            return; // a statistic was drawn before the end of a live capture
        if (decoder_.decode(packet, segment_))
            engine_.feed(segment_);
    }
    // No more frames will come: what is open becomes final.
    void finish() {
        if (!finished_) {
            finished_ = true;
            store_.begin_frame(0);
            decoder_.finish();
            engine_.finish();
        }
    }
    Store &store() { return store_; }
    const Store &store() const { return store_; }

private:
    Store store_;
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
