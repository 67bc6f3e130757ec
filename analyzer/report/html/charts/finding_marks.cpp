// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/charts/finding_marks.h"

#include "analyzer/report/html/charts/charts.h"
#include "analyzer/report/html/charts/script_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace iscsiscope::html {
namespace {

std::set<FrameNumber> frames_of(const Finding &f) {
    std::set<FrameNumber> frames;
    for (const EvidenceFrame &e : f.evidence)
        frames.insert(e.frame);
    return frames;
}

} // namespace

std::string finding_id(std::size_t index) {
    return fmt::format("finding-{}", index + 1);
}

std::vector<FindingMark> finding_marks(const Report &r) {
    std::vector<FindingMark> marks;
    if (!r.findings)
        return marks;
    const double width = static_cast<double>(to_ns(r.timeline.width)) / 1e9;
    const double begin = seconds_in_capture(r, r.timeline.origin);
    const double end = begin + width * static_cast<double>(r.timeline.used);
    for (std::size_t i = 0; i < r.findings->findings.size(); ++i) {
        const std::set<FrameNumber> frames = frames_of(r.findings->findings[i]);
        FindingMark m;
        m.finding = i;
        for (const FrameNumber frame : frames) {
            const auto time = r.capture.frame_clock.at(frame);
            if (!time)
                continue;
            const double at = seconds_in_capture(r, *time);
            if (at >= begin - width && at <= end && (m.at.empty() || at >= m.at.back() + width))
                m.at.push_back(at);
        }
        for (const GapRecord &g : r.gaps.longest) {
            // The frame that ends one wait often begins another: both ends have to be evidence.
            if (g.length >= 2 * r.timeline.width && frames.contains(g.before_frame) &&
                (!g.after_frame || frames.contains(*g.after_frame))) {
                m.spans.emplace_back(seconds_in_capture(r, g.start),
                                     seconds_in_capture(r, g.start + g.length));
            }
        }
        if (!m.at.empty())
            marks.push_back(std::move(m));
    }
    return marks;
}

std::string finding_marks_json(const Report &r) {
    std::string out = "[";
    for (const FindingMark &m : finding_marks(r)) {
        const Finding &f = r.findings->findings[m.finding];
        out += fmt::format("{}{{\"number\":{},\"title\":{},\"severity\":\"{}\",\"at\":[",
                           out.size() > 1 ? ",\n" : "", m.finding + 1, json_text(f.title), name(f.severity));
        for (std::size_t i = 0; i < m.at.size(); ++i)
            out += fmt::format("{}{}", i == 0 ? "" : ",", seconds_text(r, m.at[i]));
        out += "],\"spans\":[";
        for (std::size_t i = 0; i < m.spans.size(); ++i) {
            out += fmt::format("{}[{},{}]", i == 0 ? "" : ",", seconds_text(r, m.spans[i].first),
                               seconds_text(r, m.spans[i].second));
        }
        out += "]}";
    }
    return out + "]";
}

} // namespace iscsiscope::html
