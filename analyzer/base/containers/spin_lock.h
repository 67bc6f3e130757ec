// SPDX-License-Identifier: GPL-2.0-or-later
// SpinLock: for a few instructions at a time, which threads rarely want at once. std::lock_guard takes it.
#pragma once

#include <atomic>
#include <thread>

namespace iscsiscope {

class SpinLock {
public:
    void lock() {
        while (held_.test_and_set(std::memory_order_acquire))
            std::this_thread::yield(); // its holder may have lost the processor
    }
    void unlock() { held_.clear(std::memory_order_release); }

private:
    std::atomic_flag held_;
};

} // namespace iscsiscope
