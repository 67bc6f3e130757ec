// SPDX-License-Identifier: GPL-2.0-or-later
// ReadAhead: fills batches of segments in a thread of its own, while others are taken.
#pragma once

#include "analyzer/pipeline/segment_reader.h"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace iscsiscope {

// Not thread-safe: one thread takes the batches. Memory: at most `room` batches and the memory that they
// hold.
class ReadAhead {
public:
    // Starts to fill; throws std::system_error if no thread can be made. The reader must outlive the object
    // and must not wait for anything but a file: the destructor waits for its fill() to return.
    explicit ReadAhead(SegmentReader &);
    ~ReadAhead();
    ReadAhead(const ReadAhead &) = delete;
    ReadAhead &operator=(const ReadAhead &) = delete;

    // Returns the next batch, valid until the next call. Throws what fill() threw. Not to be called again
    // after the last batch.
    const SegmentBatch &next();

private:
    static constexpr std::size_t room = 16;
    // Whoever waits is woken for so many batches at once: waking costs as much as some hundred segments.
    static constexpr std::size_t at_once = 4;

    void work();

    SegmentReader &reader_;
    std::vector<SegmentBatch> batches_{room};
    bool given_ = false; // next() has given the batch `taken_`

    std::mutex mutex_; // of what follows
    std::condition_variable filled_more_, taken_more_;
    std::size_t filled_ = 0, taken_ = 0; // batches so far; their difference is at most `room`
    bool ended_ = false;                 // the last batch is filled, or filling failed
    bool ending_ = false;                // nobody takes a batch any more
    std::exception_ptr error_;           // of the fill() after the last batch filled

    std::thread thread_;
};

} // namespace iscsiscope
