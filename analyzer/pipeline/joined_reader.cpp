// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/joined_reader.h"

#include "analyzer/pipeline/merge/combined_info.h"

#include <algorithm>

namespace iscsiscope {
void JoinedReader::Renumber::on_anomaly(const Anomaly &a) {
    Anomaly moved = a;
    if (a.frame)
        moved.frame = *a.frame + before;
    next_.on_anomaly(moved);
}

Result<std::unique_ptr<JoinedReader>> JoinedReader::open(const std::vector<std::string> &paths,
                                                         AnomalySink &sink, const UnpackBounds &bounds) {
    struct Candidate {
        std::string path;
        std::optional<Time> begin;
    };
    std::vector<Candidate> all;
    std::uint64_t total = 0;
    bool sized = true;
    for (const std::string &p : paths) {
        IgnoredAnomalies ignored; // anomalies are reported when the file is read
        const auto opened = CaptureReader::open(p, ignored, bounds);
        if (!opened.ok())
            return opened.failure();
        CaptureReader &reader = *opened.value();
        Frame f;
        all.push_back({p, reader.next(f) ? std::optional(f.time) : std::nullopt});
        sized = sized && reader.file_size().has_value();
        total += reader.file_size().value_or(0);
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) {
        return a.begin && (!b.begin || *a.begin < *b.begin);
    });
    std::unique_ptr<JoinedReader> joined(new JoinedReader(sink, bounds));
    for (Candidate &c : all)
        joined->parts_.push_back({std::move(c.path)});
    if (sized)
        joined->size_ = total;
    return joined;
}

bool JoinedReader::open_next() {
    sink_.before = closed_.frames;
    auto opened = CaptureReader::open(parts_[opened_++].path, sink_, bounds_);
    if (opened.ok())
        reader_ = std::move(opened.value());
    else
        closed_.complete = info_.complete = parts_[opened_ - 1].complete = false;
    return opened.ok();
}

void JoinedReader::close() {
    add_info(closed_, reader_->info());
    parts_[opened_ - 1].complete = reader_->info().complete;
    bytes_done_ += reader_->file_bytes_read();
    info_ = closed_;
    reader_.reset();
}

bool JoinedReader::next(Frame &f) {
    while (reader_ || opened_ < parts_.size()) {
        if (!reader_ && !open_next())
            continue;
        if (reader_->next(f)) {
            f.number += closed_.frames;
            if (!parts_[opened_ - 1].first_frame)
                parts_[opened_ - 1].first_frame = f.number;
            return true;
        }
        close();
    }
    return false;
}

std::uint64_t JoinedReader::file_bytes_read() const {
    return bytes_done_ + (reader_ ? reader_->file_bytes_read() : 0);
}

} // namespace iscsiscope
