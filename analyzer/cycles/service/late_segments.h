// SPDX-License-Identifier: GPL-2.0-or-later
// LateSegments: the segments of one sender that carried bytes for the first time to the tap although an
// earlier copy had been sent and lost. A segment is
//   in time  — it continued the stream, or others overtook it on the way: nothing is kept of it;
//   a repair after which bytes had passed before: it was first sent before those at the latest;
//   a repair without bytes after it: when it was first sent is not known.
// Bounded: the latest 256 of each are kept; of earlier frames it is not known whether they were late.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class LateSegments {
public:
    struct Late {
        FrameNumber frame = 0;
        std::optional<Time> sent_by; // when the first bytes after it passed
    };

    // Takes a segment with payload. high_end: the end of the highest byte that passed before it. recovers: it
    // is known to repeat lost bytes. overtaken: it was sent before the bytes after it, and nothing was lost.
    void passed(const SegmentReport &report, std::uint64_t high_end, bool recovers, bool overtaken) {
        if (report.new_bytes == 0 || overtaken)
            return;
        const Segment &segment = *report.segment;
        if (report.first_new_offset > high_end)
            keep(holes_, Hole{high_end, report.first_new_offset, segment.time});
        else if (report.first_new_offset < high_end)
            keep(late_, Late{segment.frame, opened(report.first_new_offset)});
        else if (recovers)
            keep(late_, Late{segment.frame, std::nullopt});
    }

    // Empty if the frame passed in time.
    std::optional<Late> find(FrameNumber frame) const {
        if (late_.size() == most && frame < late_[0].frame)
            return Late{frame, std::nullopt};
        for (std::size_t i = late_.size(); i > 0 && late_[i - 1].frame >= frame; --i)
            if (late_[i - 1].frame == frame)
                return late_[i - 1];
        return std::nullopt;
    }

private:
    static constexpr std::size_t most = 256;
    struct Hole {
        std::uint64_t from = 0, to = 0;
        Time opened{};
    };

    template <class T>
    static void keep(Fifo<T> &list, const T &entry) {
        if (list.size() == most)
            list.pop();
        list.push(entry);
    }
    std::optional<Time> opened(std::uint64_t offset) const {
        for (std::size_t i = holes_.size(); i > 0; --i)
            if (holes_[i - 1].from <= offset && offset < holes_[i - 1].to)
                return holes_[i - 1].opened;
        return std::nullopt;
    }

    Fifo<Hole> holes_;
    Fifo<Late> late_; // by frame
};

} // namespace iscsiscope
