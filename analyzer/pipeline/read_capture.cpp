// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/read_capture.h"

#include "analyzer/pipeline/batch/record_delivery.h"
#include "analyzer/pipeline/intake.h"
#include "analyzer/pipeline/joined_reader.h"
#include "analyzer/pipeline/merge/merged_segments.h"
#include "analyzer/pipeline/order/aligned_reader.h"
#include "analyzer/pipeline/order/interface_clocks.h"
#include "analyzer/pipeline/worked_batches.h"

#include <algorithm>
#include <fmt/format.h>
#include <malloc.h>
#include <utility>

namespace iscsiscope {
namespace {

constexpr FrameNumber progress_every = 4096;
// The numbers of tasks are gone through when as many have begun as frames fit in so many batches.
constexpr std::uint64_t batches_remembered = 256;

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

// log: the sink of the reader. selection: may be null.
CaptureSummary read_all(CaptureReader &reader, AnomalyLog &log, RecordTables records,
                        const ReadOptions &options, SegmentSelection *selection = nullptr) {
    CaptureSummary summary;
    ConnectionDirectory directory = directory_for(options.engine);
    Intake intake(directory, options.engine.iscsi.ports);
    RecordDelivery delivery(std::move(records), options.engine.iscsi.ports);
    const std::optional<std::uint64_t> file_size = reader.file_size();
    const int threads = file_size ? std::max(1, options.threads) : 1; // a pipe is waited for
    BatchWorks works(delivery.wanted(), options.engine, options.frames_in_batch * batches_remembered,
                     static_cast<std::size_t>(threads), options.effort);
    SegmentReader segments(reader, log, options.range, options.frames_in_batch, intake, selection);
    auto report = [&, reported = FrameNumber{0}](const SegmentBatch &batch) mutable {
        const FrameNumber now = batch.frames_read / progress_every;
        if (options.observer != nullptr && now != std::exchange(reported, now) && !summary.stopped &&
            !options.observer->on_progress(batch.frames_read, batch.file_bytes_read, file_size)) {
            summary.stopped = true; // what is read already still counts
            segments.stop();
        }
    };
    { // the batches are freed before the summing up, which needs memory
        WorkedBatches batches(segments, works, threads, options.effort);
        for (bool last = false; !last;) {
            Batch &batch = batches.next();
            {
                const EffortTimer timer(options.effort, &Effort::delivering);
                delivery.deliver(batch);
            }
            last = batch.segments.last;
            report(batch.segments);
        }
    }
    malloc_trim(0); // each thread has a heap of its own, of which another one gets nothing
    Batch ends;     // of the connections that are still open
    directory.finish([&](const Closing &c) {
        ends.add(c);
        works.work_off(ends);
        delivery.deliver(ends);
        ends.clear();
    });
    delivery.finish();
    segments.sum_up(summary);
    intake.sum_up(summary, segments.decoder().unread());
    summary.coverage = works.follower().coverage();
    summary.tcp_connections = directory.connections_seen();
    summary.forgotten = {directory.connections_forgotten(), works.follower().sessions_forgotten()};
    return summary;
}

std::string name_of(const std::vector<std::string> &paths) {
    if (paths.size() == 1)
        return paths.front();
    if (paths.size() == 2)
        return fmt::format("{} and 1 more file", paths.front());
    return fmt::format("{} and {} more files", paths.front(), paths.size() - 1);
}

} // namespace

Result<CaptureSummary> read_capture(const std::string &path, RecordSink &sink, const ReadOptions &options) {
    AnomalyLog log;
    const auto reader = CaptureReader::open(path, log, options.unpack);
    if (!reader.ok())
        return reader.failure();
    std::vector<InterfaceClock> clocks;
    if (path != "-" && reader.value()->file_size()) // neither a pipe nor the standard input is read twice
        clocks = InterfaceClocks::of_file(path, options.unpack);
    AlignedReader aligned(*reader.value(), clocks);
    CaptureSummary summary = read_all(clocks.empty() ? *reader.value() : aligned, log, sink, options);
    summary.order.interfaces = clocks;
    summary.path = path;
    return summary;
}

Result<CaptureSummary> read_joined(const std::vector<std::string> &paths, RecordSink &sink,
                                   const ReadOptions &options) {
    AnomalyLog log;
    const auto reader = JoinedReader::open(paths, log, options.unpack);
    if (!reader.ok())
        return reader.failure();
    CaptureSummary summary = read_all(*reader.value(), log, sink, options);
    for (const JoinedReader::Part &p : reader.value()->parts())
        summary.files.push_back({p.path, p.first_frame, p.complete});
    summary.path = name_of(paths);
    return summary;
}

Result<CaptureSummary> read_merged(const std::vector<std::string> &paths, RecordSink &sink,
                                   const ReadOptions &options) {
    AnomalyLog log;
    const auto opened = MergedReader::open(paths, log, options.unpack);
    if (!opened.ok())
        return opened.failure();
    MergedReader &reader = *opened.value();
    MergedSegments selection(reader, paths);
    CaptureSummary summary = read_all(reader, log, sink, options, &selection);
    summary.merged = reader.summary();
    selection.sum_up(*summary.merged);
    for (std::size_t i = 0; i < paths.size(); ++i)
        summary.files.push_back({paths[i], known_frame(reader.first_frame(i)), reader.complete(i)});
    summary.path = name_of(paths);
    return summary;
}

Result<CaptureSummary> read_files(const std::vector<std::string> &paths, FileUnion how, RecordSink &sink,
                                  const ReadOptions &options) {
    if (paths.size() == 1)
        return read_capture(paths.front(), sink, options);
    return how == FileUnion::merged ? read_merged(paths, sink, options) : read_joined(paths, sink, options);
}

} // namespace iscsiscope
