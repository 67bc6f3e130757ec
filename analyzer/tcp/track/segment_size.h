// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentSize: finds the payload bytes of a sender's full segments.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace iscsiscope {

// The value is the smaller MSS of the two SYNs less the timestamps option (RFC 6691; 12 bytes with its
// padding), or less if the segments are smaller (path MTU discovery); without SYNs the most frequent size.
class SegmentSize {
public:
    void sent(std::uint32_t payload) {
        if (payload > largest_) {
            largest_ = payload;
            changed_ = true;
        }
        if (payload < 256)
            return; // separately sent PDU headers
        if (Size &most = sizes_[commonest_]; most.payload == payload) {
            changed_ = ++most.count == settled || changed_; // it was the most frequent size before
            return;
        }
        changed_ = true;
        count_rarer(payload);
    }

    // Returns the value in bytes, if it is known. It is updated at every call at first, later every 64th
    // call.
    std::optional<std::uint32_t> value(const Connection &c, Side sender) {
        if (calls_++ == next_look_)
            look(c, sender);
        return value_ != 0 ? std::optional(value_) : std::nullopt;
    }

private:
    // Misra and Gries 1982: finds every size with more than a fifth of all segments.
    void count_rarer(std::uint32_t payload) {
        const auto of = [&](auto wanted) { return std::find_if(sizes_.begin(), sizes_.end(), wanted); };
        auto place = of([&](const Size &s) { return s.payload == payload; });
        if (place == sizes_.end())
            place = of([](const Size &s) { return s.count == 0; });
        if (place != sizes_.end())
            *place = {payload, place->payload == payload ? place->count + 1 : 1};
        else
            for (Size &s : sizes_)
                --s.count;
        const auto most = std::max_element(sizes_.begin(), sizes_.end(),
                                           [](const Size &a, const Size &b) { return a.count < b.count; });
        commonest_ = static_cast<std::size_t>(most - sizes_.begin());
    }

    void look(const Connection &c, Side sender) {
        next_look_ = calls_ < look_always ? calls_ : calls_ + (-calls_ & (look_interval - 1));
        const ConnectionEnd &own = c.end(sender), &peer = c.end(other(sender));
        const Announced announced{own.mss.value_or(0), peer.mss.value_or(0),
                                  own.timestamps && peer.timestamps};
        if (!changed_ && announced == announced_)
            return;
        announced_ = announced;
        value_ = compute();
        changed_ = false;
    }

    std::uint32_t compute() const {
        const Size *most = &sizes_[commonest_];
        std::uint32_t announced = announced_.peer_mss;
        if (announced_.own_mss != 0 && (announced == 0 || announced_.own_mss < announced))
            announced = announced_.own_mss;
        if (announced > 12 && announced_.timestamps)
            announced -= 12;
        if (announced != 0)
            return most->count >= settled && most->payload == largest_ ? std::min(announced, largest_)
                                                                       : announced;
        // A size above a jumbo frame is made by offloading; packets of Ethernet size are assumed.
        return most->count == 0 ? 0 : most->payload <= largest_packet ? most->payload : ethernet_payload;
    }

    static constexpr std::uint32_t settled = 64;
    static constexpr std::uint32_t largest_packet = 8960, ethernet_payload = 1448;

    struct Size {
        std::uint32_t payload = 0, count = 0;
    };
    struct Announced { // in the SYNs
        std::uint16_t own_mss = 0, peer_mss = 0;
        bool timestamps = false;
        friend bool operator==(const Announced &, const Announced &) = default;
    } announced_;
    std::array<Size, 4> sizes_{};
    std::size_t commonest_ = 0; // index of the most frequent size
    std::uint32_t largest_ = 0;
    bool changed_ = true;                                                  // since the value was computed
    static constexpr std::uint64_t look_always = 1024, look_interval = 64; // the interval is a power of two
    std::uint64_t calls_ = 0, next_look_ = 0;
    std::uint32_t value_ = 0;
};

} // namespace iscsiscope
