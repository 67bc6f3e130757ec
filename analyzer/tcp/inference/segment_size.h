// SPDX-License-Identifier: GPL-2.0-or-later
// Payload bytes of a sender's full segment.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace iscsiscope {

// From the smaller of the two SYNs' MSS less the timestamps option (RFC 6691; 12 bytes with its
// padding), unless the segments show less (a path MTU found later); without SYNs the commonest size.
class SegmentSize {
public:
    void sent(std::uint32_t payload) {
        if (payload > largest_) {
            largest_ = payload;
            changed_ = true;
        }
        if (payload < 256)
            return; // PDU headers
        if (Size &most = sizes_[most_]; most.payload == payload) {
            changed_ = ++most.count == settled || changed_; // else it is the commonest as before
            return;
        }
        changed_ = true;
        count_rarer(payload);
    }

    // 0: not known. Looked at anew for every segment at first, later now and then.
    std::uint32_t value(const Connection &c, Side sender) {
        if (asked_++ == look_at_)
            look(c, sender);
        return value_;
    }

private:
    // Misra and Gries 1982: keeps every size with over a fifth of all.
    void count_rarer(std::uint32_t payload) {
        const auto of = [&](auto wanted) { return std::find_if(sizes_.begin(), sizes_.end(), wanted); };
        auto place = of([&](const Size &s) { return s.payload == payload; });
        if (place == sizes_.end())
            place = of([](const Size &s) { return s.count == 0; });
        if (place != sizes_.end()) {
            *place = {payload, place->payload == payload ? place->count + 1 : 1};
        } else {
            for (Size &s : sizes_)
                --s.count;
        }
        const auto most = std::max_element(sizes_.begin(), sizes_.end(),
                                           [](const Size &a, const Size &b) { return a.count < b.count; });
        most_ = static_cast<std::size_t>(most - sizes_.begin());
    }

    void look(const Connection &c, Side sender) {
        look_at_ = asked_ < asked_often ? asked_ : asked_ + (-asked_ & (asked_now_and_then - 1));
        const ConnectionEnd &own = c.end(sender), &peer = c.end(other(sender));
        const Announced announced{own.mss, peer.mss, own.timestamps && peer.timestamps};
        if (!changed_ && announced == announced_)
            return;
        announced_ = announced;
        value_ = work_out();
        changed_ = false;
    }

    std::uint32_t work_out() const {
        const Size *most = &sizes_[most_];
        std::uint32_t announced = announced_.peer_mss;
        if (announced_.own_mss != 0 && (announced == 0 || announced_.own_mss < announced))
            announced = announced_.own_mss;
        if (announced > 12 && announced_.timestamps)
            announced -= 12;
        if (announced != 0)
            return most->count >= settled && most->payload == largest_ ? std::min(announced, largest_)
                                                                       : announced;
        // Larger than a jumbo frame: offloading, of Ethernet packets as likely as not.
        return most->count == 0 ? 0 : most->payload <= largest_packet ? most->payload : ethernet_payload;
    }

    static constexpr std::uint32_t settled = 64;
    static constexpr std::uint32_t largest_packet = 8960, ethernet_payload = 1448;

    struct Size {
        std::uint32_t payload = 0, count = 0;
    };
    struct Announced { // by the SYNs
        std::uint16_t own_mss = 0, peer_mss = 0;
        bool timestamps = false;
        friend bool operator==(const Announced &, const Announced &) = default;
    } announced_;
    std::array<Size, 4> sizes_{};
    std::size_t most_ = 0; // the commonest of them
    std::uint32_t largest_ = 0;
    bool changed_ = true; // since the value was worked out
    static constexpr std::uint64_t asked_often = 1024, asked_now_and_then = 64; // a power of two
    std::uint64_t asked_ = 0, look_at_ = 0;
    std::uint32_t value_ = 0;
};

} // namespace iscsiscope
