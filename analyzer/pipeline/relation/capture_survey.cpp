// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/relation/capture_survey.h"

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace iscsiscope {
namespace {

void add(SurveyedWay &w, const Segment &s) {
    if (w.segments++ == 0)
        w.first_sequence = s.sequence;
    w.bytes += s.payload_length;
    w.has_syn |= (s.flags & tcp_syn) != 0;
    // The place nearest to what is known already: sequence numbers wrap (RFC 9293 section 3.4).
    const auto known = static_cast<std::uint32_t>(w.first_sequence + static_cast<std::uint64_t>(w.greatest));
    const std::int64_t at = w.greatest + static_cast<std::int32_t>(s.sequence - known);
    w.least = std::min(w.least, at);
    const int flags = ((s.flags & tcp_syn) != 0 ? 1 : 0) + ((s.flags & tcp_fin) != 0 ? 1 : 0);
    w.greatest = std::max(w.greatest, at + s.payload_length + flags);
}

} // namespace

Duration pause_quantile(const CaptureSurvey &s, double share) {
    const auto all = std::accumulate(s.pauses.begin(), s.pauses.end(), std::uint64_t{0});
    if ((1 - share) * static_cast<double>(all) < 1)
        return Duration{0};
    std::uint64_t below = 0;
    for (std::size_t bits = 0; bits < s.pauses.size(); ++bits) {
        below += s.pauses[bits];
        if (below != 0 && static_cast<double>(below) >= share * static_cast<double>(all))
            return Duration{static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1)};
    }
    return Duration{0};
}

Result<CaptureSurvey> survey_capture(const std::string &path, const std::atomic<bool> &stop,
                                     const SurveyBounds &bounds) {
    CaptureSurvey survey;
    survey.path = path;
    IgnoredAnomalies ignored;
    const auto reader = CaptureReader::open(path, ignored);
    if (!reader.ok())
        return reader.failure();
    FrameDecoder decoder(ignored);
    Frame frame;
    Segment s;
    std::optional<Time> before;
    while (!stop && reader.value()->next(frame)) {
        if (survey.frames == bounds.frames) {
            survey.whole = false;
            break;
        }
        ++survey.frames;
        survey.first = survey.first ? std::min(*survey.first, frame.time) : frame.time;
        survey.last = survey.last ? std::max(*survey.last, frame.time) : frame.time;
        if (before && frame.time > *before)
            ++survey.pauses[static_cast<std::size_t>(
                std::bit_width(static_cast<std::uint64_t>(to_ns(frame.time - *before))))];
        before = frame.time;
        if (!decoder.decode(frame, s))
            continue;
        ++survey.segments;
        const std::pair key{s.source, s.destination};
        if (const auto way = survey.ways.find(key); way != survey.ways.end())
            add(way->second, s);
        else if (survey.ways.size() < bounds.ways)
            add(survey.ways[key], s);
    }
    return survey;
}

} // namespace iscsiscope
