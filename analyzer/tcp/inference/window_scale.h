// SPDX-License-Identifier: GPL-2.0-or-later
// The window scale of a receiver whose SYN is not in the capture.
#pragma once

#include <cstdint>
#include <optional>

namespace iscsiscope {

// No sender sends beyond the window it was told (RFC 9293 section 3.8.6.1). So the scale in force is at
// least the smallest one (RFC 7323 section 2.3: 0 to 14) for which that holds of every segment so far.
class WindowScale {
public:
    // A segment reached `beyond` bytes past the highest ACK that its sender can have known, and of all
    // ACKs it can have known the largest window field was this.
    void reached(std::uint64_t beyond, std::uint16_t field) {
        if (field == 0 || beyond > std::uint64_t{field} << most)
            return; // a probe, or not this ACK's window
        while (std::uint64_t{field} << scale_ < beyond) {
            ++scale_;
            agreed_ = 0;
        }
        ++agreed_;
        any_ = true;
    }
    std::optional<std::uint8_t> learnt() const { return any_ ? std::optional(scale_) : std::nullopt; }

    // It has stood for so long that a flight which stops at the edge was stopped by it.
    bool settled() const { return agreed_ >= 256; }

private:
    static constexpr std::uint8_t most = 14;
    std::uint8_t scale_ = 0;
    std::uint64_t agreed_ = 0; // segments since it was last raised
    bool any_ = false;
};

} // namespace iscsiscope
