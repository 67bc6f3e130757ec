// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/frame_search.h"

#include "gui/document/stores/cycle_steps.h"

#include <algorithm>

namespace iscsiscope::gui {
namespace {

struct Place {
    StreamId stream;
    Time time;
};

std::optional<Place> incidentAt(const Snapshot &s, FrameNumber frame) {
    for (const auto &[stream, kinds] : s.lanes->incidents)
        for (const auto &list : kinds)
            for (const Incident &i : list)
                if (i.frame == frame)
                    return Place{stream, i.time};
    return std::nullopt;
}

// The samples of a direction are in the order of their frames.
std::optional<Place> sampleAt(const Tables &t, FrameNumber frame) {
    for (const auto &[key, series] : t.samples) {
        Row first = 0, count = static_cast<Row>(series.size());
        while (count > 0) {
            const Row half = count / 2;
            if (series.frame(first + half) < frame) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        if (first < series.size() && series.frame(first) == frame)
            return Place{key.stream, series.time(first)};
    }
    return std::nullopt;
}

} // namespace

std::optional<FoundFrame> frameIn(const Snapshot &s, FrameNumber frame, const std::atomic<bool> &stop) {
    std::optional<Row> inside;
    std::uint32_t length = 0;
    const CycleStore &cycles = s.tables.cycles;
    for (std::size_t i = 0; i < cycles.size() && !stop; ++i) {
        const auto row = static_cast<Row>(i);
        const std::uint32_t first = cycles.firstFrame(row), last = cycles.lastFrame(row);
        if (first > frame || frame > last)
            continue;
        for (const CycleStep &step : stepsOf(s.tables, row))
            if (step.frame == frame)
                return FoundFrame{row, step.time};
        if (!inside || last - first < length) {
            inside = row;
            length = last - first;
        }
    }
    if (stop)
        return std::nullopt;
    auto place = incidentAt(s, frame);
    if (!place)
        place = sampleAt(s.tables, frame);
    if (place) {
        const bool ofIt = inside && cycles.stream(*inside) == place->stream;
        return FoundFrame{ofIt ? inside : std::nullopt, place->time};
    }
    return inside ? std::optional(FoundFrame{inside, std::nullopt}) : std::nullopt;
}

} // namespace iscsiscope::gui
