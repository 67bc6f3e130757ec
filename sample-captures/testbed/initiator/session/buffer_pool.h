// SPDX-License-Identifier: GPL-2.0-or-later
// Data buffers of commands, used again: fresh pages for every large command would cost as much as
// sending it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace iscsiscope::testbed::initiator {

using Buffer = std::vector<std::byte>;

// One thread. Buffers may outlive the pool.
class BufferPool {
public:
    // A buffer of exactly `size` bytes, contents unspecified; shared by all commands that carry it.
    std::shared_ptr<Buffer> acquire(std::size_t size);

private:
    struct Store {
        std::vector<std::unique_ptr<Buffer>> free;
    };
    std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

} // namespace iscsiscope::testbed::initiator
