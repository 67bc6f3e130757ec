// SPDX-License-Identifier: GPL-2.0-or-later
// survey_capture: what the first frames of a capture say of how it belongs to another one: when it was taken,
// and which bytes of which connections it holds. TCP headers only; nothing of iSCSI is read.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/base/time.h"
#include "analyzer/capture/segment.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace iscsiscope {

// The segments from one endpoint to another.
struct SurveyedWay {
    std::uint64_t segments = 0, bytes = 0; // bytes: payload on the wire
    bool has_syn = false;
    // From the least sequence number to behind the greatest, counted from that of the first segment. SYN and
    // FIN take one each (RFC 9293 section 3.4).
    std::uint32_t first_sequence = 0;
    std::int64_t least = 0, greatest = 0;
};

struct CaptureSurvey {
    std::string path;
    std::uint64_t frames = 0, segments = 0;
    bool whole = true;               // false: the survey's bound was reached before the end of the file
    std::optional<Time> first, last; // earliest and latest time of the frames surveyed
    // Pauses between frames that follow each other, by the number of bits of their length in ns.
    std::array<std::uint64_t, 64> pauses{};
    std::map<std::pair<Endpoint, Endpoint>, SurveyedWay> ways; // by source and destination
};

// The length that this share of the pauses does not exceed, as an upper bound within a factor of two. 0:
// there are too few pauses to decide.
Duration pause_quantile(const CaptureSurvey &, double share);

struct SurveyBounds {
    std::uint64_t frames = 1'000'000;
    std::size_t ways = 4096; // further ones are not kept
};

// The failure is a sentence that begins with the file's path. Ends early when stop is set.
Result<CaptureSurvey> survey_capture(const std::string &path, const std::atomic<bool> &stop,
                                     const SurveyBounds & = {});

} // namespace iscsiscope
