// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/merge/merged_reader.h"

#include "analyzer/pipeline/merge/combined_info.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {

// One file with its next frame. Anomalies get the number that their frame has in the merged capture; those of
// the next frame are kept until it has one.
struct MergedReader::File final : AnomalySink {
    explicit File(AnomalySink &to) : next_sink(to) {}

    void on_anomaly(const Anomaly &a) override {
        jumped = jumped || a.kind == AnomalyKind::time_jumped;
        if (a.frame && *a.frame > facts.frames) {
            waiting.push_back(a);
            return;
        }
        Anomaly numbered = a;
        if (a.frame)
            numbered.frame = facts.last_frame;
        next_sink.on_anomaly(numbered);
    }
    void read() {
        frame_there = reader->next(frame);
        if (frame_there)
            frame.time = clock.time_of(frame.time);
    }
    // The next frame is delivered with this number.
    void deliver(FrameNumber number) {
        if (++facts.frames == 1)
            first_frame = number;
        facts.last_frame = number;
        frame.number = number;
        facts.first = facts.first ? std::min(*facts.first, frame.time) : frame.time;
        facts.last = facts.last ? std::max(*facts.last, frame.time) : frame.time;
        if (clock.stepped() > Duration{}) {
            if (facts.steps++ == 0)
                facts.first_step = number;
            facts.longest_step = std::max(facts.longest_step, clock.stepped());
        }
        for (Anomaly &a : waiting) {
            a.frame = number;
            next_sink.on_anomaly(a);
        }
        waiting.clear();
    }

    AnomalySink &next_sink;
    std::vector<Anomaly> waiting; // few: a frame has two at most
    FileClock clock;
    MergedFile facts;
    FrameNumber first_frame = 0;
    bool jumped = false, frame_there = false;
    Frame frame;
    std::unique_ptr<CaptureReader> reader; // last: it reports to this sink until its end
};

Result<std::unique_ptr<MergedReader>> MergedReader::open(const std::vector<std::string> &paths,
                                                         AnomalySink &sink, const UnpackBounds &bounds) {
    if (paths.size() > max_files)
        return Failure{fmt::format("{}: --merge takes at most {} files, not {}", paths[max_files], max_files,
                                   paths.size())};
    std::unique_ptr<MergedReader> merged(new MergedReader);
    for (const std::string &p : paths) {
        merged->files_.push_back(std::make_unique<File>(sink));
        auto opened = CaptureReader::open(p, *merged->files_.back(), bounds);
        if (!opened.ok())
            return std::move(opened.failure());
        merged->files_.back()->reader = std::move(opened.value());
    }
    return merged;
}

MergedReader::~MergedReader() = default;

bool MergedReader::next(Frame &f) {
    if (begun_) {
        files_[current_]->read(); // its frame was valid until now
    } else {
        begun_ = true;
        for (const auto &file : files_)
            file->read();
    }
    File *earliest = nullptr;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        File &file = *files_[i];
        if (file.frame_there && (earliest == nullptr || file.frame.time <= earliest->frame.time)) {
            earliest = &file;
            current_ = i;
        }
    }
    if (earliest == nullptr)
        return false;
    ++delivered_.frames;
    earliest->deliver(delivered_.frames);
    f = earliest->frame;
    delivered_.bytes += f.original_length;
    delivered_.captured_bytes += f.bytes.size();
    delivered_.cut_frames += f.bytes.size() < f.original_length ? 1 : 0;
    return true;
}

FrameHold MergedReader::hold() const {
    return files_[current_]->reader->hold();
}

const CaptureInfo &MergedReader::info() const {
    info_ = {};
    for (const auto &file : files_) {
        CaptureInfo one = file->reader->info();
        one.first_time = file->facts.first; // without the frame that is held
        one.last_time = file->facts.last;
        add_info(info_, one);
    }
    info_.frames = delivered_.frames;
    info_.bytes = delivered_.bytes;
    info_.captured_bytes = delivered_.captured_bytes;
    info_.cut_frames = delivered_.cut_frames;
    return info_;
}

std::uint64_t MergedReader::file_bytes_read() const {
    std::uint64_t sum = 0;
    for (const auto &file : files_)
        sum += file->reader->file_bytes_read();
    return sum;
}

std::optional<std::uint64_t> MergedReader::file_size() const {
    std::uint64_t sum = 0;
    for (const auto &file : files_) {
        const auto size = file->reader->file_size();
        if (!size)
            return {};
        sum += *size;
    }
    return sum;
}

bool MergedReader::has_more(std::size_t file) const {
    return !begun_ || files_[file]->frame_there;
}

FrameNumber MergedReader::first_frame(std::size_t file) const {
    return files_[file]->first_frame;
}

bool MergedReader::complete(std::size_t file) const {
    return files_[file]->reader->info().complete;
}

MergeSummary MergedReader::summary() const {
    MergeSummary s;
    for (const auto &file : files_) {
        s.files.push_back(file->facts);
        s.as_mergecap = s.as_mergecap && file->facts.steps == 0 && !file->jumped;
        const FrameNumber last = file->facts.last_frame.value_or(0);
        if (!file->reader->info().complete && last < s.mergecap_ends.value_or(last + 1))
            s.mergecap_ends = last;
    }
    return s;
}

} // namespace iscsiscope
