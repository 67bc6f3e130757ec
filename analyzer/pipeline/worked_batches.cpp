// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/worked_batches.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace iscsiscope {
namespace {

// One that is delivered, one that is worked off, and one that is read or waits; with more threads another one
// that waits. More would leave the cache before their turn.
std::size_t batches_in_flight(int threads) {
    return threads < 2 ? 1 : threads == 2 ? 3 : 4;
}
// Where many connections are at work, a batch is so many times as long, so that each has some frames in it.
constexpr std::size_t connections_a_size = 64, max_sizes = 8;

} // namespace

WorkedBatches::WorkedBatches(SegmentReader &reader, BatchWorks &works, int threads, Effort *effort)
    : reader_(reader), works_(works), effort_(effort) {
    for (std::size_t i = 0; i < batches_in_flight(threads); ++i)
        free_.push_back(batches_.emplace_back(std::make_unique<Batch>()).get());
    try {
        for (int i = 1; i < threads; ++i)
            helpers_.emplace_back([this, i] { help(static_cast<std::size_t>(i)); });
    } catch (const std::system_error &) { // the system allows no more threads
    }
}

WorkedBatches::~WorkedBatches() {
    {
        const Lock lock(mutex_);
        closed_ = true;
    }
    changed_.notify_all();
    for (std::thread &t : helpers_)
        t.join();
}

Batch &WorkedBatches::next() {
    Lock lock(mutex_);
    if (given_ != nullptr) {
        free_.push_back(std::exchange(given_, nullptr));
        changed_.notify_all();
    }
    while (worked_.empty()) {
        if (work_error_)
            std::rethrow_exception(work_error_);
        if (read_error_ && read_.empty() && at_hand_ == nullptr)
            std::rethrow_exception(read_error_);
        if (!step(lock, 0))
            changed_.wait(lock);
    }
    given_ = worked_.front();
    worked_.pop_front();
    return *given_;
}

void WorkedBatches::help(std::size_t thread) {
    Lock lock(mutex_);
    while (!closed_)
        if (!step(lock, thread))
            changed_.wait(lock);
}

bool WorkedBatches::step(Lock &lock, std::size_t thread) {
    if (work_error_)
        return false;
    // The caller's thread rather reads, so that what the others follow stays in their caches.
    const bool rather_reads = thread == 0 && !helpers_.empty();
    const bool may_read = !reading_ && !read_last_ && !free_.empty();
    if (rather_reads && may_read)
        read(lock);
    else if (begun_ && works_.any_left())
        follow(lock, thread);
    else if (!rather_reads && at_hand_ == nullptr && !read_.empty())
        begin(lock, thread);
    else if (may_read)
        read(lock);
    else
        return false;
    return true;
}

template <class What>
bool WorkedBatches::unlocked(Lock &lock, std::exception_ptr &error, const What &what) {
    std::exception_ptr thrown;
    lock.unlock();
    try {
        what();
    } catch (...) {
        thrown = std::current_exception();
    }
    lock.lock();
    changed_.notify_all();
    if (thrown)
        error = thrown;
    return !thrown;
}

void WorkedBatches::read(Lock &lock) {
    Batch &batch = *free_.back();
    free_.pop_back();
    reading_ = true;
    const bool done = unlocked(lock, read_error_, [&] {
        const EffortTimer timer(effort_, &Effort::reading);
        const std::size_t times =
            std::clamp<std::size_t>(batch.connections / connections_a_size, 1, max_sizes);
        batch.clear();
        reader_.fill(batch.segments, times);
        batch.add_segments();
    });
    reading_ = false;
    if (done)
        read_.push_back(&batch);
    read_last_ = !done || batch.segments.last;
}

void WorkedBatches::begin(Lock &lock, std::size_t thread) {
    at_hand_ = read_.front();
    read_.pop_front();
    begun_ = unlocked(lock, work_error_, [&] { works_.begin(*at_hand_); });
    if (begun_)
        follow(lock, thread);
}

void WorkedBatches::follow(Lock &lock, std::size_t thread) {
    ++following_;
    unlocked(lock, work_error_, [&] { works_.follow(thread); });
    if (--following_ > 0 || works_.any_left() || work_error_)
        return;
    begun_ = false;
    if (unlocked(lock, work_error_, [&] { works_.end(); })) {
        worked_.push_back(at_hand_);
        at_hand_ = nullptr;
    }
}

} // namespace iscsiscope
