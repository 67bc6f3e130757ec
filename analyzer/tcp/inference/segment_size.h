// SPDX-License-Identifier: GPL-2.0-or-later
// Payload bytes of a sender's full segment.
#pragma once

#include "analyzer/tcp/connection.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace iscsiscope {

// From the smaller of the two SYNs' MSS less the timestamps option (RFC 6691; 12 bytes with its
// padding), unless the segments show less (a path MTU found later); without SYNs the commonest size.
class SegmentSize {
public:
    void sent(std::uint32_t payload) {
        largest_ = std::max(largest_, payload);
        if (payload < 256)
            return;              // PDU headers
        for (Size &s : sizes_) { // Misra and Gries 1982: keeps every size with over a fifth of all
            if (s.payload == payload) {
                ++s.count;
                return;
            }
        }
        for (Size &s : sizes_) {
            if (s.count == 0) {
                s = {payload, 1};
                return;
            }
        }
        for (Size &s : sizes_)
            --s.count;
    }

    // 0: not known. Looked at anew for every segment at first, later now and then.
    std::uint32_t value(const Connection &c, Side sender) {
        if (asked_ < asked_often || asked_ % asked_now_and_then == 0)
            value_ = work_out(c, sender);
        ++asked_;
        return value_;
    }

private:
    std::uint32_t work_out(const Connection &c, Side sender) const {
        const Size *most = &sizes_[0];
        for (const Size &s : sizes_)
            most = s.count > most->count ? &s : most;
        const ConnectionEnd &own = c.end(sender), &peer = c.end(other(sender));
        std::uint32_t announced = peer.mss;
        if (own.mss != 0 && (announced == 0 || own.mss < announced))
            announced = own.mss;
        if (announced > 12 && own.timestamps && peer.timestamps)
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
    std::array<Size, 4> sizes_{};
    std::uint32_t largest_ = 0;
    static constexpr std::uint64_t asked_often = 1024, asked_now_and_then = 64;
    std::uint64_t asked_ = 0;
    std::uint32_t value_ = 0;
};

} // namespace iscsiscope
