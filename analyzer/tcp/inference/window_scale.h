// SPDX-License-Identifier: GPL-2.0-or-later
// WindowScale: infers the window scale of a receiver if the SYNs are not in the capture.
#pragma once

#include <cstdint>
#include <optional>

namespace iscsiscope {

// A sender does not send beyond the window announced to it (RFC 9293 section 3.8.6.1). Therefore the scale is
// at least the smallest one (RFC 7323 section 2.3: 0 to 14) for which that holds for every segment so far.
class WindowScale {
public:
    // A segment ended `beyond` bytes past the highest ACK that its sender can have known; `field` is the
    // largest window field of the ACKs that it can have known.
    void reached(std::uint64_t beyond, std::uint16_t field) {
        if (field == 0 || beyond > std::uint64_t{field} << most)
            return; // a window probe, or a segment sent under another window
        while (std::uint64_t{field} << scale_ < beyond) {
            ++scale_;
            agreed_ = 0;
        }
        ++agreed_;
        any_ = true;
    }
    std::optional<std::uint8_t> learnt() const { return any_ ? std::optional(scale_) : std::nullopt; }

    // True if the scale is unchanged for 256 segments: a sender that stops at the right edge then waits for
    // it.
    bool settled() const { return agreed_ >= 256; }

private:
    static constexpr std::uint8_t most = 14;
    std::uint8_t scale_ = 0;
    std::uint64_t agreed_ = 0; // segments since it was last raised
    bool any_ = false;
};

} // namespace iscsiscope
