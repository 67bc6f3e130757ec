// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/buffer_pool.h"

namespace iscsiscope::testbed::initiator {

std::shared_ptr<Buffer> BufferPool::acquire(std::size_t size) {
    constexpr std::size_t kept = 64; // buffers at rest
    std::unique_ptr<Buffer> buffer;
    if (store_->free.empty()) {
        buffer = std::make_unique<Buffer>();
    } else {
        buffer = std::move(store_->free.back());
        store_->free.pop_back();
    }
    buffer->resize(size);
    std::weak_ptr<Store> home = store_;
    return {buffer.release(), [home](Buffer *used) {
                std::unique_ptr<Buffer> owned(used);
                if (const auto store = home.lock(); store && store->free.size() < kept)
                    store->free.push_back(std::move(owned));
            }};
}

} // namespace iscsiscope::testbed::initiator
