// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/read_capture.h"

#include "analyzer/pipeline/joined_reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr FrameNumber progress_every = 4096;
constexpr std::size_t ports_kept = 10;

} // namespace

std::vector<PortSurvey::Entry> PortSurvey::busiest(std::size_t most) const {
    std::vector<Entry> all;
    for (std::size_t p = 0; p < segments_.size(); ++p)
        if (segments_[p] != 0)
            all.push_back({static_cast<std::uint16_t>(p), segments_[p]});
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
    std::partial_sort(all.begin(), middle, all.end(), [](const Entry &a, const Entry &b) {
        return a.segments != b.segments ? a.segments > b.segments : a.port < b.port;
    });
    all.erase(middle, all.end());
    return all;
}

namespace {

CaptureSummary read_all(CaptureReader &reader, RecordSink &sink, const ReadOptions &options) {
    CaptureSummary summary;
    FrameDecoder decoder(sink);
    Engine engine(sink, options.engine);
    PortSurvey ports;
    UnreadSurvey unread(options.engine.iscsi.ports);
    const bool ranged = options.range != nullptr && !options.range->everything();
    Frame frame;
    Segment segment;
    while (reader.next(frame)) {
        if (!summary.first_frame_time) {
            summary.first_frame_time = frame.time;
            if (options.range != nullptr)
                options.range->anchor(frame.time);
        }
        summary.frame_clock.add(frame.number, frame.time);
        if (ranged && options.range->contains(frame.time)) {
            ++summary.range_frames;
            summary.range_bytes += frame.original_length;
        }
        if (decoder.decode(frame, segment)) {
            ports.count(segment);
            unread.add(segment);
            engine.feed(segment);
        }
        if (options.observer != nullptr && frame.number % progress_every == 0 &&
            !options.observer->on_progress(frame.number, reader.file_bytes_read(), reader.file_size())) {
            summary.stopped = true;
            break;
        }
    }
    decoder.finish();
    engine.finish();
    summary.info = reader.info();
    summary.protocols = decoder.protocols();
    summary.encapsulations = decoder.encapsulations();
    summary.mirrors = decoder.mirror_sessions();
    summary.unread = unread.found(decoder.unread());
    summary.ports = ports.busiest(ports_kept);
    summary.coverage = engine.coverage();
    summary.tcp_connections = engine.tcp_connections();
    summary.forgotten = engine.forgotten();
    return summary;
}

} // namespace

Result<CaptureSummary> read_capture(const std::string &path, RecordSink &sink, const ReadOptions &options) {
    try {
        const auto reader = CaptureReader::open(path, sink, options.unpack);
        CaptureSummary summary = read_all(*reader, sink, options);
        summary.path = path;
        return summary;
    } catch (const OpenError &e) {
        return Failure{e.what()};
    }
}

Result<CaptureSummary> read_joined(const std::vector<std::string> &paths, RecordSink &sink,
                                   const ReadOptions &options) {
    try {
        JoinedReader reader(paths, sink, options.unpack);
        CaptureSummary summary = read_all(reader, sink, options);
        for (const JoinedReader::Part &p : reader.parts())
            summary.files.push_back({p.path, p.first_frame, p.complete});
        summary.path = fmt::format("{} and {} more files", paths.front(), paths.size() - 1);
        if (paths.size() == 1)
            summary.path = paths.front();
        else if (paths.size() == 2)
            summary.path = fmt::format("{} and 1 more file", paths.front());
        return summary;
    } catch (const OpenError &e) {
        return Failure{e.what()};
    }
}

} // namespace iscsiscope
