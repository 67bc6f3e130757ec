// SPDX-License-Identifier: GPL-2.0-or-later
// CarriedRate: the highest rate at which one direction of a connection was seen to carry payload
// (docs/figures.md, "Whose time it is").
//
// In: the payload frames of the direction that follow a full segment, each with the time since that one. Out:
// the time that bytes need at that rate. Only full segments are followed at the pace of the link: behind a
// smaller one the sender may have had nothing to send (two statuses, for example). A train is a series of
// frames that continue each other without an idle gap; frames behind smaller ones are left out of it. The
// rate of a train is that of the bytes behind its first frame; a long train is divided into pieces of
// `enough` bytes. Pieces of `enough` bytes replace smaller ones, and pieces of more bytes those of less than
// two thirds as many, since two frames may have waited together in a queue behind the path. For the same
// reason the second highest rate counts, as soon as there are two.
#pragma once

#include "analyzer/base/saturating.h"

#include <algorithm>
#include <cstdint>

namespace iscsiscope {

class CarriedRate {
public:
    static constexpr std::uint32_t enough = 64 * 1024; // bytes

    // A frame that continues the train, behind a full segment.
    void add(std::uint32_t bytes, Duration spacing) {
        bytes_ += bytes;
        time_ += spacing;
        if (bytes_ >= enough)
            close();
    }
    // The train has ended, or a frame begins a new one.
    void close() {
        if (bytes_ != 0 && time_ > Duration{}) {
            const std::uint32_t size = std::min(bytes_, enough);
            const double rate = static_cast<double>(bytes_) / static_cast<double>(time_.count());
            if (2 * size >= 3 * size_ || (size == enough && size_ < enough)) {
                highest_ = rate_ = rate;
                two_ = false;
            } else if (3 * size > 2 * size_) {
                rate_ = two_ ? std::max(rate_, std::min(highest_, rate)) : std::min(highest_, rate);
                two_ = true;
                highest_ = std::max(highest_, rate);
            }
            size_ = std::max(size_, size);
        }
        bytes_ = 0;
        time_ = Duration{};
    }

    // The rate in bytes per nanosecond; zero while none of `enough` bytes is known.
    double known() const { return size_ < enough ? 0 : rate_; }
    // The part of the spacing before a frame that bytes need. in_train: add() took the frame. While no rate
    // is known, that is all of a train, and nothing of other frames. What the bytes need beyond a spacing
    // counts in the next ones of the run: frames may have waited together.
    Duration needed(std::uint32_t bytes, Duration spacing, bool in_train) {
        if (size_ == 0)
            return in_train ? spacing : Duration{};
        const Duration all =
            saturated_sum(Duration{saturated_integer(static_cast<double>(bytes) / rate_)}, owed_);
        const Duration now = std::min(all, spacing);
        owed_ = all - now;
        return now;
    }
    // An idle gap has ended the run.
    void pause() {
        close();
        owed_ = Duration{};
    }

private:
    Duration owed_{};         // what the bytes of this run need beyond its spacings so far
    double highest_ = 0;      // bytes per nanosecond, of one piece
    double rate_ = 0;         // bytes per nanosecond
    Duration time_{};         // of the piece under way
    std::uint32_t bytes_ = 0; // of the piece under way
    std::uint32_t size_ = 0;  // bytes of the largest piece, at most `enough`; 0: none yet
    bool two_ = false;        // two pieces of about that size have passed
};

} // namespace iscsiscope
