// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/batch/batch_queue.h"

#include <utility>

namespace iscsiscope {

void BatchQueue::put(Batch &batch) {
    {
        const std::lock_guard lock(mutex_);
        batches_.push_back(&batch);
    }
    more_.notify_one();
}

Batch *BatchQueue::take() {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [this] { return closed_ || error_ || !batches_.empty(); });
    if (closed_)
        return nullptr;
    if (batches_.empty())
        std::rethrow_exception(error_);
    Batch *batch = batches_.front();
    batches_.pop_front();
    return batch;
}

Batch *BatchQueue::take_if_any() {
    const std::lock_guard lock(mutex_);
    if (batches_.empty())
        return nullptr;
    Batch *batch = batches_.front();
    batches_.pop_front();
    return batch;
}

void BatchQueue::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    more_.notify_one();
}

void BatchQueue::fail(std::exception_ptr error) {
    {
        const std::lock_guard lock(mutex_);
        error_ = std::move(error);
    }
    more_.notify_one();
}

} // namespace iscsiscope
