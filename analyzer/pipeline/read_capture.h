// SPDX-License-Identifier: GPL-2.0-or-later
// read_capture: reads one capture through reader, decoder and engine; the records go to a RecordSink.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"
#include "analyzer/cycles/engine.h"
#include "analyzer/pipeline/frame_clock.h"
#include "analyzer/pipeline/merge/merge_summary.h"
#include "analyzer/pipeline/order/order_summary.h"
#include "analyzer/pipeline/time_range.h"
#include "analyzer/pipeline/unread_traffic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// Counts TCP segments by the lower of their two ports, which usually is that of the service.
class PortSurvey {
public:
    struct Entry {
        std::uint16_t port = 0;
        std::uint64_t segments = 0;
    };

    void count(const Segment &s) {
        ++segments_[s.source.port < s.destination.port ? s.source.port : s.destination.port];
    }
    // Returns at most `most` ports, the most frequent first.
    std::vector<Entry> busiest(std::size_t most) const;

private:
    std::vector<std::uint64_t> segments_ = std::vector<std::uint64_t>(65536);
};

// One of several files read as one capture.
struct CaptureFile {
    std::string path;
    OptionalFrame first_frame; // empty: the file has none
    bool complete = true;      // false: cut short or damaged
};

// Properties of the capture and totals, apart from the records.
struct CaptureSummary {
    std::string path;
    // Of a joined capture, in order of time; of a merged one, in the order given; otherwise empty.
    std::vector<CaptureFile> files;
    std::optional<MergeSummary> merged; // of a merged capture; parallel to `files`
    CaptureInfo info;                   // its times without steps of the clock
    OrderSummary order;
    ProtocolCounts protocols;
    std::vector<EncapsulationCount> encapsulations; // the most frequent first
    std::vector<MirrorSession> mirrors;             // of ERSPAN, with sequence numbers
    // About TCP of any kind; in a report, about iSCSI.
    std::vector<IcmpError> icmp_errors;
    std::vector<UnreadTraffic> unread;    // storage traffic that is not readable here
    std::vector<PortSurvey::Entry> ports; // with the most segments
    IscsiCoverage coverage;
    std::uint64_t tcp_connections = 0;
    ForgottenState forgotten;
    std::optional<Time> first_frame_time; // of frame 1; relative bounds of a range count from it
    FrameClock frame_clock;               // of all frames
    std::uint64_t range_frames = 0;       // frames inside the range, and their original lengths
    std::uint64_t range_bytes = 0;
    bool stopped = false; // the observer ended the reading
};

class ReadObserver {
public:
    virtual ~ReadObserver() = default;
    // Called every few thousand frames with the bytes of the file read so far and its size, which is empty
    // for pipes. Returns false to end the reading.
    virtual bool on_progress(std::uint64_t frames, std::uint64_t bytes,
                             std::optional<std::uint64_t> size) = 0;
};

// The most that ReadOptions::threads may be.
inline constexpr int max_threads = 1024;

struct Effort;

struct ReadOptions {
    EngineOptions engine;
    TimeRange *range = nullptr;       // will be anchored at the first frame; may be null
    ReadObserver *observer = nullptr; // may be null
    UnpackBounds unpack;
    // At most so many threads (WorkedBatches). Pipes, of which each frame is wanted as it comes, take one.
    // The records are the same.
    int threads = 1;
    // Of one batch; of more frames where many connections are at work. The records are the same for any
    // number.
    std::size_t frames_in_batch = 1024;
    Effort *effort = nullptr; // gets what the reading takes; may be null
};

// The sink is called from the calling thread. The failure is a sentence that begins with the file's path.
Result<CaptureSummary> read_capture(const std::string &path, RecordSink &, const ReadOptions &);
// Reads the files of a ring buffer as one capture, in the order of their first frames.
Result<CaptureSummary> read_joined(const std::vector<std::string> &paths, RecordSink &, const ReadOptions &);
// Reads files whose frames are interleaved by time (MergedReader) as one capture, each connection from one
// place (MergedConnections).
Result<CaptureSummary> read_merged(const std::vector<std::string> &paths, RecordSink &, const ReadOptions &);

// How several files make one capture.
enum class FileUnion : std::uint8_t { joined, merged };
// Reads one file as read_capture does, several as they make one capture.
Result<CaptureSummary> read_files(const std::vector<std::string> &paths, FileUnion, RecordSink &,
                                  const ReadOptions &);

} // namespace iscsiscope
