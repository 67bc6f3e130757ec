// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentReader: reads the frames of a capture, decodes them, puts their segments in order, and finds their
// connections, in batches of segments.
#pragma once

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"
#include "analyzer/pipeline/batch/segment_batch.h"
#include "analyzer/pipeline/capture_times.h"
#include "analyzer/pipeline/intake.h"
#include "analyzer/pipeline/merge/segment_selection.h"
#include "analyzer/pipeline/order/copy_finder.h"
#include "analyzer/pipeline/order/segment_order.h"
#include "analyzer/pipeline/read_capture.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace iscsiscope {

// Keeps anomalies until the segments that come before them are given out.
class AnomalyLog final : public AnomalySink {
public:
    void on_anomaly(const Anomaly &a) override { noted_.push_back({entered_, a}); }
    bool empty() const { return noted_.empty(); }
    // So many segments have been read by now.
    void entered(std::uint64_t segments) { entered_ = segments; }
    // Moves those that come before the next segment, of which so many have been given out. Too many do not
    // wait.
    void move_to(SegmentBatch &, std::uint64_t given_out);

private:
    static constexpr std::size_t most = 1024;

    struct Noted {
        std::uint64_t behind = 0; // segments
        Anomaly anomaly;
    };
    std::deque<Noted> noted_;
    std::uint64_t entered_ = 0;
};

// fill() is called by one thread; stop() by any.
class SegmentReader {
public:
    // A batch of a pipe ends before a frame for which the reader would have to wait. Everything must outlive
    // the object. log: of the reader. range: anchored at the first frame; may be null. selection: what the
    // intake takes has gone through it; may be null.
    SegmentReader(CaptureReader &reader, AnomalyLog &log, TimeRange *range, std::size_t frames_in_batch,
                  Intake &intake, SegmentSelection *selection = nullptr);

    // Replaces the content of the batch by what comes next. Not to be called again after the last one. times:
    // so many times frames_in_batch.
    void fill(SegmentBatch &, std::size_t times = 1);
    // The batch that is filled next is the last one and has no frames.
    void stop() { stopped_ = true; }

    // Adds what is known of file and frames; to be called after the last batch.
    void sum_up(CaptureSummary &) const;
    const FrameDecoder &decoder() const { return decoder_; }

private:
    void note_frame(const Frame &);
    // Decodes the frame and adds what comes of it.
    void add(const Frame &, SegmentBatch &);
    // Makes the segment part of the batch, and finds its connection.
    void take(const Segment &, const FrameHold &memory, SegmentBatch &);
    // Takes those whose order is known.
    void take_ready(SegmentBatch &);
    // Takes what the selection gives out; both must outlive it.
    SegmentSelection::Out chosen(const Frame &, SegmentBatch &);
    // No further frame comes: adds what is still held.
    void finish(SegmentBatch &);

    CaptureReader &reader_;
    AnomalyLog &log_;
    TimeRange *range_;
    Intake &intake_;
    SegmentSelection *selection_;
    Segment decoded_;                           // goes to the selection
    SegmentOrder order_;                        // without a selection, which has an order of its own
    std::uint64_t entered_ = 0, given_out_ = 0; // segments
    CopyFinder copies_;
    const bool ranged_, waits_;
    const std::size_t frames_in_batch_;
    FrameDecoder decoder_;
    FrameNumber frames_ = 0;
    CaptureTimes times_;
    std::uint64_t range_frames_ = 0, range_bytes_ = 0;
    std::atomic<bool> stopped_{false};
};

} // namespace iscsiscope
