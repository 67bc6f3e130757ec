// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes of a length known at birth, not cleared: data segments are filled whole before they are sent.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace iscsiscope::testbed {

class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size)
        : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
    std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_ = 0;
};

} // namespace iscsiscope::testbed
