// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentBatch: some consecutive frames of a capture as segments, with their bytes, the anomalies that were
// found while they were read and decoded, and the connections that they belong to.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/frame.h"
#include "analyzer/capture/segment.h"
#include "analyzer/tcp/stream/connection_directory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace iscsiscope {

class SegmentBatch {
public:
    // Bytes of the frames of one batch, not exceeded but by the last frame.
    static constexpr std::size_t max_bytes = std::size_t{1} << 20;

    // For who fills it.
    void clear(); // lets go of the bytes
    // memory: of its bytes. copy: see Segment.
    void add(const Segment &s, const FrameHold &memory, bool copy) {
        if (count_ == segments_.size()) {
            segments_.emplace_back();
            places_.emplace_back();
        }
        segments_[count_] = s;
        segments_[count_++].copy = copy;
        if (const std::span<const std::byte> bytes = s.header.empty() ? s.payload : s.header;
            !bytes.empty() && (held_.empty() || !held_.back().covers(bytes)))
            held_.push_back(memory);
    }
    void add_anomaly(const Anomaly &a) { anomalies_.push_back({count_, a}); }
    // Notes where the segment belongs that was added last, and what is to be closed before it.
    void place_last(const Placement &at, const std::vector<Closing> &before) {
        places_[count_ - 1] = at;
        for (const Closing &c : before)
            closings_.push_back({count_ - 1, c});
    }
    // Keeps what placements of earlier batches and of this one may point to.
    void keep(RetiredSilences retired) {
        for (auto &r : retired)
            retired_.push_back(std::move(r));
    }
    const Segment &last_added() const { return segments_[count_ - 1]; }

    // Calls on_anomaly(Anomaly), on_closing(Closing) and on_segment(Segment, Placement) for what is in it, in
    // the order in which it was found.
    template <class OnAnomaly, class OnClosing, class OnSegment>
    void each(const OnAnomaly &on_anomaly, const OnClosing &on_closing, const OnSegment &on_segment) const {
        auto anomaly = anomalies_.begin();
        auto closing = closings_.begin();
        for (std::size_t i = 0; i < count_; ++i) {
            for (; anomaly != anomalies_.end() && anomaly->before <= i; ++anomaly)
                on_anomaly(anomaly->anomaly);
            for (; closing != closings_.end() && closing->before == i; ++closing)
                on_closing(closing->closing);
            on_segment(segments_[i], places_[i]);
        }
        for (; anomaly != anomalies_.end(); ++anomaly)
            on_anomaly(anomaly->anomaly);
    }

    // How far the reading had come when the batch was full.
    FrameNumber frames_read = 0;
    std::uint64_t file_bytes_read = 0;
    bool last = false; // no batch follows: the capture has ended, or reading was stopped

private:
    struct Noted {
        std::size_t before = 0; // the segment, counted from 0
        Anomaly anomaly;
    };
    struct Closed {
        std::size_t before = 0; // likewise
        Closing closing;
    };

    std::vector<Segment> segments_; // the first count_; those behind them are kept for their memory
    std::vector<Placement> places_; // as many
    std::size_t count_ = 0;
    std::vector<Noted> anomalies_; // in order
    std::vector<Closed> closings_; // likewise
    RetiredSilences retired_;
    std::vector<FrameHold> held_;
};

} // namespace iscsiscope
