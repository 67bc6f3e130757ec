// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/merge/merged_segments.h"

#include "analyzer/capture/decode/frame_decoder.h"

#include <set>
#include <sys/stat.h>
#include <utility>

namespace iscsiscope {
namespace {

// True if the first frames of the file hold both directions of a connection. False also for what is no
// regular file, which could not be read again.
bool begins_with_both_directions(const std::string &path) {
    constexpr int looked_at = 1000;
    struct stat st {};
    if (path == "-" || ::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    IgnoredAnomalies ignored; // anomalies are reported when the file is read
    const auto reader = CaptureReader::open(path, ignored);
    if (!reader.ok())
        return false;
    FrameDecoder decoder(ignored);
    std::set<std::pair<Endpoint, Endpoint>> seen;
    Frame frame;
    Segment s;
    for (int i = 0; i < looked_at && reader.value()->next(frame); ++i) {
        if (!decoder.decode(frame, s))
            continue;
        if (seen.contains({s.destination, s.source}))
            return true;
        seen.insert({s.source, s.destination});
    }
    return false;
}

} // namespace

MergedSegments::MergedSegments(const MergedReader &reader, const std::vector<std::string> &paths)
    : reader_(reader), connections_(paths.size()), ended_(paths.size()) {
    for (std::size_t i = 0; i < paths.size(); ++i)
        if (begins_with_both_directions(paths[i]))
            connections_.has_both_directions(i);
}

void MergedSegments::add(const Segment &s, const Out &out) {
    for (std::size_t i = 0; i < ended_.size(); ++i) {
        if (!ended_[i] && !reader_.has_more(i)) {
            ended_[i] = true;
            connections_.ended(i);
        }
    }
    connections_.add(s, reader_.file(), out);
}

} // namespace iscsiscope
