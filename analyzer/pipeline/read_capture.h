// SPDX-License-Identifier: GPL-2.0-or-later
// A capture file through the whole engine.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"
#include "analyzer/cycles/engine.h"
#include "analyzer/pipeline/time_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// TCP segments by the lower of their two ports, which as a rule is the service's.
class PortSurvey {
public:
    struct Entry {
        std::uint16_t port = 0;
        std::uint64_t segments = 0;
    };

    void count(const Segment &s) {
        ++segments_[s.source.port < s.destination.port ? s.source.port : s.destination.port];
    }
    // The most frequent first.
    std::vector<Entry> busiest(std::size_t most) const;

private:
    std::vector<std::uint64_t> segments_ = std::vector<std::uint64_t>(65536);
};

// One of several files read as one capture.
struct CaptureFile {
    std::string path;
    FrameNumber first_frame = 0; // 0: it holds none
    bool complete = true;        // false: cut short or damaged
};

// What was read, apart from the records.
struct CaptureSummary {
    std::string path;
    std::vector<CaptureFile> files; // of a joined capture, in their order in time; else empty
    CaptureInfo info;
    ProtocolCounts protocols;
    std::vector<PortSurvey::Entry> ports; // the busiest
    IscsiCoverage coverage;
    std::uint64_t tcp_connections = 0;
    std::optional<Time> first_frame_time; // of frame 1, where a range's seconds begin
    std::uint64_t range_frames = 0;       // frames inside the range, and their original lengths
    std::uint64_t range_bytes = 0;
    bool stopped = false; // the observer asked to stop
};

class ReadObserver {
public:
    virtual ~ReadObserver() = default;
    // Every few thousand frames. size: absent for pipes. False: stop reading.
    virtual bool on_progress(std::uint64_t frames, std::uint64_t bytes,
                             std::optional<std::uint64_t> size) = 0;
};

struct ReadOptions {
    EngineOptions engine;
    TimeRange *range = nullptr;       // anchored at the first frame
    ReadObserver *observer = nullptr; // may be null
};

// The sink is told everything, from the calling thread. A file that cannot be opened: a sentence that
// begins with its path.
Result<CaptureSummary> read_capture(const std::string &path, RecordSink &, const ReadOptions &);
// The files of a ring buffer as one capture, in the order of their first frames.
Result<CaptureSummary> read_joined(const std::vector<std::string> &paths, RecordSink &, const ReadOptions &);

} // namespace iscsiscope
