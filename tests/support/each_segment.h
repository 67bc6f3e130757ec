// SPDX-License-Identifier: GPL-2.0-or-later
// A capture file's TCP segments, one after the other: the one way by which tests read captures into an
// engine.
#pragma once

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"

#include <string>

namespace iscsiscope::test {

// visit(Segment &) for each segment, whose payload is valid during the call. Empty, or why the file cannot be
// opened.
template <class Visit>
std::string each_segment(const std::string &path, AnomalySink &anomalies, Visit visit) {
    const auto reader = CaptureReader::open(path, anomalies);
    if (!reader.ok())
        return reader.failure().message;
    FrameDecoder decoder(anomalies);
    Frame frame;
    Segment segment;
    while (reader.value()->next(frame))
        if (decoder.decode(frame, segment))
            visit(segment);
    return {};
}

} // namespace iscsiscope::test
