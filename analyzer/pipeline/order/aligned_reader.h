// SPDX-License-Identifier: GPL-2.0-or-later
// AlignedReader: the frames of a reader, all stamped by the clock of one interface (InterfaceClocks).
#pragma once

#include "analyzer/base/saturating.h"
#include "analyzer/capture/files/capture_reader.h"
#include "analyzer/pipeline/order/order_summary.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

class AlignedReader final : public CaptureReader {
public:
    // reader: has given out no frame yet; it must outlive the object.
    AlignedReader(CaptureReader &reader, std::vector<InterfaceClock> clocks)
        : reader_(reader), clocks_(std::move(clocks)) {}

    bool next(Frame &frame) override {
        if (!reader_.next(frame))
            return false;
        const auto clock = std::ranges::find(clocks_, frame.interface, &InterfaceClock::interface);
        if (clock != clocks_.end())
            frame.time = saturated_later(frame.time, -clock->ahead);
        first_ = std::min(first_.value_or(frame.time), frame.time);
        last_ = std::max(last_.value_or(frame.time), frame.time);
        return true;
    }
    bool has_next() const override { return reader_.has_next(); }
    FrameHold hold() const override { return reader_.hold(); }
    const CaptureInfo &info() const override {
        info_ = reader_.info();
        info_.first_time = first_;
        info_.last_time = last_;
        return info_;
    }
    std::uint64_t file_bytes_read() const override { return reader_.file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return reader_.file_size(); }

private:
    CaptureReader &reader_;
    std::vector<InterfaceClock> clocks_;
    std::optional<Time> first_, last_;
    mutable CaptureInfo info_;
};

} // namespace iscsiscope
