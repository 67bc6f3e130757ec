// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/segment_reader.h"

namespace iscsiscope {

void AnomalyLog::move_to(SegmentBatch &batch) {
    for (const Anomaly &a : noted_)
        batch.add_anomaly(a);
    noted_.clear();
}

SegmentReader::SegmentReader(CaptureReader &reader, AnomalyLog &log, TimeRange *range,
                             std::size_t frames_in_batch, Intake &intake, SegmentSelection *selection)
    : reader_(reader), log_(log), range_(range), intake_(intake), selection_(selection),
      ranged_(range != nullptr && !range->everything()), waits_(!reader.file_size()),
      frames_in_batch_(frames_in_batch), decoder_(log) {}

void SegmentReader::note_frame(const Frame &frame) {
    frames_ = frame.number;
    if (!first_frame_time_) {
        first_frame_time_ = frame.time;
        if (range_ != nullptr)
            range_->anchor(frame.time);
    }
    frame_clock_.add(frame.number, frame.time);
    if (ranged_ && range_->contains(frame.time)) {
        ++range_frames_;
        range_bytes_ += frame.original_length;
    }
}

void SegmentReader::add(const Frame &frame, SegmentBatch &batch) {
    const bool found = decoder_.decode(frame, selection_ == nullptr ? batch.next() : decoded_);
    if (!log_.empty()) [[unlikely]]
        log_.move_to(batch);
    if (!found)
        return;
    if (selection_ == nullptr)
        take(frame, batch);
    else
        selection_->add(decoded_, chosen(frame, batch));
}

SegmentSelection::Out SegmentReader::chosen(const Frame &frame, SegmentBatch &batch) {
    return [&](const Segment &s) {
        batch.next() = s;
        take(frame, batch);
    };
}

void SegmentReader::take(const Frame &frame, SegmentBatch &batch) {
    batch.add(frame, [this] { return reader_.hold(); });
    const Placement at = intake_.take(batch.last_added());
    batch.place_last(at, intake_.closings());
    if (intake_.has_retired()) [[unlikely]]
        batch.keep(intake_.take_retired());
}

void SegmentReader::finish(SegmentBatch &batch) {
    decoder_.finish();
    log_.move_to(batch);
    const Frame none;
    if (selection_ != nullptr)
        selection_->finish(chosen(none, batch));
}

void SegmentReader::fill(SegmentBatch &batch, std::size_t times) {
    batch.clear();
    batch.last = stopped_;
    std::size_t bytes = 0;
    const std::size_t most = times * frames_in_batch_;
    Frame frame;
    for (std::size_t n = 0; n < most && bytes < SegmentBatch::max_bytes && !batch.last; ++n) {
        if (n != 0 && waits_ && !reader_.has_next())
            break;
        if (!reader_.next(frame)) {
            batch.last = true;
            break;
        }
        note_frame(frame);
        bytes += frame.bytes.size();
        add(frame, batch);
    }
    if (batch.last)
        finish(batch);
    else
        log_.move_to(batch);
    batch.frames_read = frames_;
    batch.file_bytes_read = reader_.file_bytes_read();
}

void SegmentReader::sum_up(CaptureSummary &summary) const {
    summary.first_frame_time = first_frame_time_;
    summary.frame_clock = frame_clock_;
    summary.range_frames = range_frames_;
    summary.range_bytes = range_bytes_;
    summary.info = reader_.info();
    summary.protocols = decoder_.protocols();
    summary.encapsulations = decoder_.encapsulations();
    summary.mirrors = decoder_.mirror_sessions();
}

} // namespace iscsiscope
