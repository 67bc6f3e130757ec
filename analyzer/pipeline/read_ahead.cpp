// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/read_ahead.h"

namespace iscsiscope {

ReadAhead::ReadAhead(SegmentReader &reader) : reader_(reader), thread_([this] { work(); }) {}

ReadAhead::~ReadAhead() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    taken_more_.notify_one();
    thread_.join();
}

void ReadAhead::work() {
    for (bool more = true; more;) {
        std::size_t place = 0;
        {
            std::unique_lock lock(mutex_);
            if (filled_ - taken_ == room)
                taken_more_.wait(lock, [this] { return ending_ || filled_ - taken_ <= room - at_once; });
            if (ending_)
                return;
            place = filled_ % room;
        }
        SegmentBatch &batch = batches_[place]; // nobody else touches it until it is filled
        std::exception_ptr error;
        try {
            reader_.fill(batch);
            more = !batch.last;
        } catch (...) {
            error = std::current_exception();
            more = false;
        }
        std::size_t waiting = 0;
        {
            const std::lock_guard lock(mutex_);
            if (!error)
                ++filled_;
            error_ = error;
            ended_ = !more;
            waiting = filled_ - taken_;
        }
        if (waiting >= at_once || !more)
            filled_more_.notify_one();
    }
}

const SegmentBatch &ReadAhead::next() {
    bool wake = false;
    std::unique_lock lock(mutex_);
    if (given_) {
        ++taken_;
        wake = filled_ - taken_ == room - at_once;
    }
    given_ = true;
    if (wake)
        taken_more_.notify_one();
    if (filled_ == taken_)
        filled_more_.wait(lock, [this] { return ended_ || filled_ - taken_ >= at_once; });
    if (filled_ == taken_)
        std::rethrow_exception(error_);
    return batches_[taken_ % room];
}

} // namespace iscsiscope
