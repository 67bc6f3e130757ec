// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/worked_batches.h"

#include <exception>
#include <system_error>

namespace iscsiscope {
namespace {

// One that is delivered and, for each further thread, one that it works on and one that waits for it. More
// would leave the cache before their turn.
std::size_t batches_of(int threads) {
    return threads < 2 ? 1 : threads == 2 ? 3 : 5;
}

} // namespace

WorkedBatches::WorkedBatches(SegmentReader &reader, BatchWorks &works, int threads)
    : reader_(reader), works_(works) {
    for (std::size_t i = 0; i < batches_of(threads); ++i)
        free_.put(*batches_.emplace_back(std::make_unique<Batch>()));
    try {
        if (threads > 1)
            working_ =
                std::thread([this] { pass_on(read_, worked_, [this](Batch &b) { works_.work_off(b); }); });
        if (threads > 2)
            reading_ = std::thread([this] { pass_on(free_, read_, [this](Batch &b) { read(b); }); });
    } catch (const std::system_error &) { // the system allows no more threads
    }
}

WorkedBatches::~WorkedBatches() {
    for (BatchQueue *q : {&free_, &read_, &worked_})
        q->close();
    for (std::thread *t : {&reading_, &working_})
        if (t->joinable())
            t->join();
}

void WorkedBatches::read(Batch &batch) {
    batch.clear();
    reader_.fill(batch.segments);
    batch.add_segments();
}

void WorkedBatches::pass_on(BatchQueue &from, BatchQueue &to, const std::function<void(Batch &)> &what) {
    try {
        for (Batch *batch = from.take(); batch != nullptr; batch = from.take()) {
            what(*batch);
            const bool last = batch->segments.last;
            to.put(*batch); // from here on it is the next one's
            if (last)
                return;
        }
    } catch (...) {
        to.fail(std::current_exception());
    }
}

Batch &WorkedBatches::next() {
    if (given_ != nullptr)
        free_.put(*given_);
    if (!reading_.joinable())
        for (Batch *b = nullptr; !read_last_ && (b = free_.take_if_any()) != nullptr;) {
            read(*b);
            read_last_ = b->segments.last;
            if (working_.joinable()) {
                read_.put(*b);
            } else {
                works_.work_off(*b);
                given_ = b;
                return *b;
            }
        }
    given_ = worked_.take();
    return *given_;
}

} // namespace iscsiscope
