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

JoinedReader::JoinedReader(const std::vector<std::string> &paths, AnomalySink &sink,
                           const UnpackBounds &bounds)
    : sink_(sink), bounds_(bounds) {
    struct Candidate {
        std::string path;
        std::optional<Time> begin;
    };
    std::vector<Candidate> all;
    std::uint64_t total = 0;
    bool sized = true;
    for (const std::string &p : paths) {
        IgnoredAnomalies ignored; // anomalies are reported when the file is read
        const auto reader = CaptureReader::open(p, ignored, bounds);
        Frame f;
        all.push_back({p, reader->next(f) ? std::optional(f.time) : std::nullopt});
        sized = sized && reader->file_size().has_value();
        total += reader->file_size().value_or(0);
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) {
        return a.begin && (!b.begin || *a.begin < *b.begin);
    });
    for (Candidate &c : all)
        parts_.push_back({std::move(c.path)});
    if (sized)
        size_ = total;
}

void JoinedReader::open_next() {
    sink_.before = closed_.frames;
    reader_ = CaptureReader::open(parts_[opened_++].path, sink_, bounds_);
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
        if (!reader_) {
            try {
                open_next();
            } catch (const OpenError &) { // the constructor could open it: it has been removed since
                closed_.complete = info_.complete = parts_[opened_ - 1].complete = false;
                continue;
            }
        }
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
