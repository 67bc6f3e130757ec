// SPDX-License-Identifier: GPL-2.0-or-later
// WorkedBatches: the batches of a capture, read and worked off, in file order.
//
// With one thread each is read and worked off when it is asked for. With two, another thread works off what
// the caller's thread has read; so that it always has work, next() reads first. With three, reading has a
// thread of its own too. A batch is touched by one thread at a time; so are reader and works.
#pragma once

#include "analyzer/pipeline/batch/batch_queue.h"
#include "analyzer/pipeline/batch/batch_works.h"
#include "analyzer/pipeline/segment_reader.h"

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace iscsiscope {

class WorkedBatches {
public:
    // threads: at most so many, the caller's among them; fewer, if the system allows no more.
    WorkedBatches(SegmentReader &, BatchWorks &, int threads);
    WorkedBatches(const WorkedBatches &) = delete;
    WorkedBatches &operator=(const WorkedBatches &) = delete;
    ~WorkedBatches();

    // The next batch, valid until the next call. Not to be called again after the last one. Throws what
    // reading or working off threw.
    Batch &next();

private:
    void read(Batch &);
    // Takes batches until one is the last, does this to them, and passes them on.
    void pass_on(BatchQueue &from, BatchQueue &to, const std::function<void(Batch &)> &what);

    SegmentReader &reader_;
    BatchWorks &works_;
    std::vector<std::unique_ptr<Batch>> batches_;
    BatchQueue free_, read_, worked_;
    Batch *given_ = nullptr; // to the caller
    bool read_last_ = false; // by the caller's thread
    std::thread reading_, working_;
};

} // namespace iscsiscope
