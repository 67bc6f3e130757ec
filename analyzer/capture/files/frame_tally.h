// SPDX-License-Identifier: GPL-2.0-or-later
// FrameTally: numbers the frames of a capture file, makes times of their stamps (ClockSteps), adds them to
// its CaptureInfo and reports times that go back. The readers of both file formats use it.
#pragma once

#include "analyzer/capture/bytes/byte_source.h"
#include "analyzer/capture/clock_steps.h"
#include "analyzer/capture/files/capture_reader.h"

#include <limits>

namespace iscsiscope {

// Largest captured length that is accepted, in bytes; a record with more is damaged. libpcap's own
// limit is 256 KiB, and super-segments of Linux's "BIG TCP" reach 512 KiB.
inline constexpr std::uint32_t max_captured_length = 8U << 20;

// Times are limited to ±2^62 ns (years 1824 to 2116), so that no difference of two overflows.
inline constexpr std::int64_t max_time_ns = (std::int64_t{1} << 62) - 1;

class FrameTally {
public:
    explicit FrameTally(AnomalySink &sink) : sink_(sink) {}

    // Fills the frame and counts it.
    void deliver(Frame &frame, Time stamp, std::uint32_t link_type, std::uint32_t original_length,
                 std::span<const std::byte> bytes) {
        frame.number = ++info_.frames;
        const Time time = clock_.time_of(stamp, frame.number, sink_);
        stamp_ = stamp;
        frame.time = time;
        frame.link_type = link_type;
        frame.original_length = original_length;
        frame.bytes = bytes;
        info_.bytes += original_length;
        info_.captured_bytes += bytes.size();
        info_.cut_frames += bytes.size() < original_length ? 1 : 0;
        if (time >= latest_) [[likely]] {
            latest_ = time;
            info_.last_time = time;
        } else {
            not_latest(time);
        }
        previous_ = time;
    }

    // Reports that the file is cut short or damaged behind the last frame.
    void lost(AnomalyKind kind);
    // The input has ended. rest: with bytes that are no whole record.
    void end(const ByteSource &, bool rest);
    // Returns the stamp of the frame delivered last.
    Time previous_stamp() const { return stamp_; }

    CaptureInfo &info() { return info_; }
    const CaptureInfo &info() const { return info_; }

private:
    // Handles the first frame, and each one stamped earlier than the latest time so far.
    void not_latest(Time time);

    AnomalySink &sink_;
    ClockSteps clock_;
    CaptureInfo info_;
    Time latest_ = time_from_ns(std::numeric_limits<std::int64_t>::max()); // maximum: no frame yet
    Time previous_{}, stamp_{};
};

} // namespace iscsiscope
