// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/read_capture.h"

#include "analyzer/pipeline/batch/record_delivery.h"
#include "analyzer/pipeline/intake.h"
#include "analyzer/pipeline/joined_reader.h"
#include "analyzer/pipeline/merge/merged_connections.h"
#include "analyzer/pipeline/merge/merged_reader.h"
#include "analyzer/pipeline/worked_batches.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <sys/stat.h>
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

// What stands between decoder and engine for a merged capture.
class BeforeEngine {
public:
    using Out = std::function<void(const Segment &)>;
    virtual ~BeforeEngine() = default;
    virtual void add(const Segment &, const Out &) = 0;
    virtual void finish(const Out &) = 0; // no further segment comes
};

// log: the sink of the reader. stage: null for none; it looks at the reader, and so gets each frame before
// the next one is read.
CaptureSummary read_all(CaptureReader &reader, AnomalyLog &log, RecordTables records,
                        const ReadOptions &options, BeforeEngine *stage = nullptr) {
    CaptureSummary summary;
    ConnectionDirectory directory = directory_for(options.engine);
    Intake intake(directory, options.engine.iscsi.ports);
    RecordDelivery delivery(records, options.engine.iscsi.ports);
    const std::optional<std::uint64_t> file_size = reader.file_size();
    // A pipe is waited for.
    const int threads = stage == nullptr && file_size ? std::max(1, options.threads) : 1;
    BatchWorks works(delivery.wanted(), options.engine, options.frames_in_batch * batches_remembered,
                     static_cast<std::size_t>(threads));
    Batch own; // of what no reader put into a batch
    const auto run = [&] {
        works.work_off(own);
        delivery.deliver(own);
        own.clear();
    };
    const auto feed = [&](const Segment &s) { // that has not been taken yet
        const Placement at = intake.take(s);
        for (const Closing &c : intake.closings())
            own.add(c);
        own.add(s, at);
        run();
        intake.take_retired();
    };
    SegmentReader segments(reader, log, options.range, stage == nullptr ? options.frames_in_batch : 1,
                           stage == nullptr ? &intake : nullptr);
    auto report = [&, reported = FrameNumber{0}](const SegmentBatch &batch) mutable {
        const FrameNumber now = batch.frames_read / progress_every;
        if (options.observer != nullptr && now != std::exchange(reported, now) && !summary.stopped &&
            !options.observer->on_progress(batch.frames_read, batch.file_bytes_read, file_size)) {
            summary.stopped = true; // what is read already still counts
            segments.stop();
        }
    };
    if (stage == nullptr) {
        WorkedBatches batches(segments, works, threads);
        for (bool last = false; !last;) {
            Batch &batch = batches.next();
            delivery.deliver(batch);
            last = batch.segments.last;
            report(batch.segments);
        }
    } else {
        SegmentBatch batch;
        do {
            segments.fill(batch);
            batch.each([&](const Anomaly &a) { records.put(a); }, [](const Closing &) {},
                       [&](const Segment &s, const Placement &) { stage->add(s, feed); });
            report(batch);
        } while (!batch.last);
        stage->finish(feed);
    }
    directory.finish([&](const Closing &c) {
        own.add(c);
        run();
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

class MergeStage final : public BeforeEngine {
public:
    MergeStage(const MergedReader &reader, const std::vector<std::string> &paths)
        : reader_(reader), connections_(paths.size()), ended_(paths.size()) {
        for (std::size_t i = 0; i < paths.size(); ++i)
            if (begins_with_both_directions(paths[i]))
                connections_.has_both_directions(i);
    }
    void add(const Segment &s, const Out &out) override {
        for (std::size_t i = 0; i < ended_.size(); ++i) {
            if (!ended_[i] && !reader_.has_more(i)) {
                ended_[i] = true;
                connections_.ended(i);
            }
        }
        connections_.add(s, reader_.file(), out);
    }
    void finish(const Out &out) override { connections_.finish(out); }
    void sum_up(MergeSummary &summary) { connections_.sum_up(summary); }

private:
    const MergedReader &reader_;
    MergedConnections connections_;
    std::vector<bool> ended_;
};

} // namespace

Result<CaptureSummary> read_capture(const std::string &path, RecordSink &sink, const ReadOptions &options) {
    AnomalyLog log;
    const auto reader = CaptureReader::open(path, log, options.unpack);
    if (!reader.ok())
        return reader.failure();
    CaptureSummary summary = read_all(*reader.value(), log, sink, options);
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
    MergeStage stage(reader, paths);
    CaptureSummary summary = read_all(reader, log, sink, options, &stage);
    summary.merged = reader.summary();
    stage.sum_up(*summary.merged);
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
