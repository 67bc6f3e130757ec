// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentBatch: some consecutive frames of a capture as segments, with their bytes and the anomalies that
// were found while they were read and decoded.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/frame.h"
#include "analyzer/capture/segment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace iscsiscope {

class SegmentBatch {
public:
    // Of one batch: frames, and bytes of frames that are not exceeded but by the last frame. The segments of
    // so many frames stay in the first-level or second-level cache.
    static constexpr std::size_t max_frames = 128;
    static constexpr std::size_t max_bytes = std::size_t{128} << 10;

    // For who fills it.
    void clear(); // lets go of the bytes
    // The place of the next segment, which add() makes part of the batch. It may hold an earlier one.
    Segment &next() { return segments_[count_]; }
    // Keeps the bytes of the segment: holds the memory of its frame, or copies what lies elsewhere (in a
    // reassembled datagram).
    template <class Hold>
    void add(const Frame &frame, const Hold &hold) {
        keep(segments_[count_], frame, hold);
        ++count_;
    }
    void add_anomaly(const Anomaly &a) { anomalies_.push_back({count_, a}); }

    // Calls on_anomaly(Anomaly) and on_segment(Segment) for what is in it, in the order in which it was
    // found.
    template <class OnAnomaly, class OnSegment>
    void each(const OnAnomaly &on_anomaly, const OnSegment &on_segment) const {
        auto anomaly = anomalies_.begin();
        for (std::size_t i = 0; i < count_; ++i) {
            for (; anomaly != anomalies_.end() && anomaly->before <= i; ++anomaly)
                on_anomaly(anomaly->anomaly);
            on_segment(segments_[i]);
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

    template <class Hold>
    void keep(Segment &s, const Frame &frame, const Hold &hold) {
        const std::span<const std::byte> &bytes = s.header.empty() ? s.payload : s.header;
        if (bytes.empty())
            return;
        if (bytes.data() < frame.bytes.data() || bytes.data() >= frame.bytes.data() + frame.bytes.size())
            copy(s);
        else if (held_.empty() || !held_.back().covers(frame.bytes))
            held_.push_back(hold());
    }
    void copy(Segment &);

    std::array<Segment, max_frames> segments_;
    std::size_t count_ = 0;
    std::vector<Noted> anomalies_; // in order
    std::vector<FrameHold> held_;
    std::vector<std::unique_ptr<std::byte[]>> copies_;
};

} // namespace iscsiscope
