// SPDX-License-Identifier: GPL-2.0-or-later
// WorkedBatches: the batches of a capture, read and worked off, in file order.
//
// With one thread each is read and worked off when it is asked for. With more, each thread does what there is
// to do, the oldest batch first: it helps to follow the connections of the batch at hand, or begins with the
// next one that is read, or reads another one; the caller's thread does so where it would wait. One batch is
// read, and one is worked off, at a time.
#pragma once

#include "analyzer/pipeline/batch/batch_works.h"
#include "analyzer/pipeline/segment_reader.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace iscsiscope {

class WorkedBatches {
public:
    // threads: at most so many, the caller's among them, as many as the works know; fewer, if the system
    // allows no more. effort: gets what reading takes; may be null. What is passed must outlive it.
    WorkedBatches(SegmentReader &, BatchWorks &, int threads, Effort *effort = nullptr);
    WorkedBatches(const WorkedBatches &) = delete;
    WorkedBatches &operator=(const WorkedBatches &) = delete;
    ~WorkedBatches();

    // The next batch, valid until the next call. Not to be called again after the last one. Throws what
    // reading or working off threw, behind the batches before.
    Batch &next();

private:
    using Lock = std::unique_lock<std::mutex>;

    void help(std::size_t thread);
    // Does one thing; false: there is nothing to do now.
    bool step(Lock &, std::size_t thread);
    void read(Lock &);
    void begin(Lock &, std::size_t thread);
    void follow(Lock &, std::size_t thread);
    // Does it without the lock. False: it has thrown.
    template <class What>
    bool unlocked(Lock &, std::exception_ptr &error, const What &);

    SegmentReader &reader_;
    BatchWorks &works_;
    Effort *const effort_;
    std::vector<std::unique_ptr<Batch>> batches_;

    std::mutex mutex_; // of all below
    std::condition_variable changed_;
    std::vector<Batch *> free_;
    std::deque<Batch *> read_, worked_;
    Batch *at_hand_ = nullptr;  // is worked off
    Batch *given_ = nullptr;    // to the caller
    bool reading_ = false;      // a thread is
    bool read_last_ = false;    // no batch is read any more
    bool begun_ = false;        // at_hand_ may be followed
    std::size_t following_ = 0; // so many threads are
    bool closed_ = false;       // nobody waits any more
    std::exception_ptr read_error_, work_error_;
    std::vector<std::thread> helpers_;
};

} // namespace iscsiscope
