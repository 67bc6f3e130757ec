// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/segment_reader.h"

#include "analyzer/base/saturating.h"

#include <algorithm>
#include <memory>
#include <span>

namespace iscsiscope {

void AnomalyLog::move_to(SegmentBatch &batch, std::uint64_t given_out) {
    for (; !noted_.empty() && (noted_.front().behind <= given_out || noted_.size() > most);
         noted_.pop_front())
        batch.add_anomaly(noted_.front().anomaly);
}

namespace {

// Returns the memory in which the segment's bytes lie: that of its frame, or a copy of what lies elsewhere
// (in a reassembled datagram), to which the segment then points. The header, where there is one, lies
// directly before the payload.
FrameHold memory_of(Segment &s, const Frame &frame, const CaptureReader &reader) {
    const std::span<const std::byte> bytes = s.header.empty() ? s.payload : s.header;
    if (bytes.empty() ||
        (bytes.data() >= frame.bytes.data() && bytes.data() < frame.bytes.data() + frame.bytes.size()))
        return reader.hold();
    const std::size_t size = s.header.size() + s.payload.size();
    const std::shared_ptr<std::byte[]> copy(new std::byte[size]);
    std::copy(s.header.begin(), s.header.end(), copy.get());
    std::copy(s.payload.begin(), s.payload.end(), copy.get() + s.header.size());
    s.header = {copy.get(), s.header.size()};
    s.payload = {copy.get() + s.header.size(), s.payload.size()};
    return {copy, size};
}

} // namespace

SegmentReader::SegmentReader(CaptureReader &reader, AnomalyLog &log, TimeRange *range,
                             std::size_t frames_in_batch, Intake &intake, SegmentSelection *selection)
    : reader_(reader), log_(log), range_(range), intake_(intake), selection_(selection),
      order_(log, !reader.file_size()), ranged_(range != nullptr && !range->everything()),
      waits_(!reader.file_size()), frames_in_batch_(frames_in_batch), decoder_(log) {}

void SegmentReader::note_frame(const Frame &frame) {
    frames_ = frame.number;
    const bool first = !times_.first_frame();
    times_.stamped(frame);
    if (first && range_ != nullptr)
        range_->anchor(frame.time);
    if (ranged_ && range_->contains(saturated_later(frame.time, order_.shift()))) {
        ++range_frames_;
        range_bytes_ += frame.original_length;
    }
}

void SegmentReader::add(const Frame &frame, SegmentBatch &batch) {
    Segment &s = selection_ == nullptr ? order_.next() : decoded_;
    const bool found = decoder_.decode(frame, s);
    if (!found) {
        log_.move_to(batch, given_out_);
        return;
    }
    if (selection_ != nullptr) {
        log_.move_to(batch, given_out_);
        selection_->add(decoded_, chosen(frame, batch));
        return;
    }
    order_.add(frame.bytes, [&] { return memory_of(s, frame, reader_); });
    log_.entered(++entered_);
    take_ready(batch);
}

SegmentSelection::Out SegmentReader::chosen(const Frame &frame, SegmentBatch &batch) {
    return [&](const Segment &s) {
        Segment own = s;
        const FrameHold memory = memory_of(own, frame, reader_);
        take(own, memory, batch);
    };
}

void SegmentReader::take_ready(SegmentBatch &batch) {
    for (; order_.ready(); order_.pop())
        take(order_.front(), order_.memory(), batch);
}

void SegmentReader::take(const Segment &s, const FrameHold &memory, SegmentBatch &batch) {
    if (!log_.empty()) [[unlikely]]
        log_.move_to(batch, given_out_);
    ++given_out_;
    const CopyKind copy = copies_.find(s);
    if (copy == CopyKind::translated) [[unlikely]] {
        batch.add_anomaly(
            {.kind = AnomalyKind::duplicate_frame, .frame = s.frame, .stream = {}, .detail = 0});
        return;
    }
    batch.add(s, memory, copy == CopyKind::same_connection);
    times_.passed(s.frame, s.time);
    const Placement at = intake_.take(batch.last_added());
    batch.place_last(at, intake_.closings());
    if (intake_.has_retired()) [[unlikely]]
        batch.keep(intake_.take_retired());
}

void SegmentReader::finish(SegmentBatch &batch) {
    decoder_.finish();
    const Frame none;
    if (selection_ != nullptr)
        selection_->finish(chosen(none, batch));
    order_.finish();
    take_ready(batch);
    log_.move_to(batch, given_out_);
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
    batch.frames_read = frames_;
    batch.file_bytes_read = reader_.file_bytes_read();
}

void SegmentReader::sum_up(CaptureSummary &summary) const {
    summary.range_frames = range_frames_;
    summary.range_bytes = range_bytes_;
    summary.info = reader_.info();
    summary.order = order_.summary();
    times_.sum_up(summary);
    summary.protocols = decoder_.protocols();
    summary.encapsulations = decoder_.encapsulations();
    summary.mirrors = decoder_.mirror_sessions();
    summary.icmp_errors = decoder_.icmp_errors();
}

} // namespace iscsiscope
