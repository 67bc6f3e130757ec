// SPDX-License-Identifier: GPL-2.0-or-later
// The PDUs that wait to be sent on one connection, as the pieces that one sendmsg takes. No socket, no clock.
#pragma once

#include "sample-captures/testbed/wire/pdu_link.h"

#include <sys/uio.h>

#include <array>
#include <deque>

namespace iscsiscope::testbed {

class SendQueue {
public:
    // legacy: one piece list holds either one PDU's header or its data, as old targets sent them.
    // max_bytes: of one piece list.
    SendQueue(bool legacy, std::size_t max_bytes) : legacy_(legacy), max_bytes_(max_bytes) {}

    void add(OutgoingPdu &&pdu, DigestUse digests);
    bool empty() const { return queue_.empty(); }
    std::size_t bytes() const { return bytes_; } // not yet handed over
    // The same with what is kept of each PDU: a queue of small PDUs takes more memory than it has bytes.
    std::size_t memory() const { return bytes_ + queue_.size() * sizeof(Entry) * 2; }
    // What comes next, nothing copied; valid until the next call of any other function.
    std::span<iovec> pieces();
    // The first `bytes` of pieces() were taken by a sendmsg that began at ns. Reports the times of the PDUs.
    void handed(std::size_t bytes, std::int64_t ns);
    void clear();

private:
    struct Entry {
        FramedPdu framed;
        std::shared_ptr<const void> owner;
        std::function<void(std::int64_t ns)> first_byte_handed, last_byte_handed;
        std::size_t sent = 0; // bytes
        std::size_t size = 0; // bytes
    };
    bool legacy_;
    std::size_t max_bytes_;
    std::deque<Entry> queue_;
    std::size_t bytes_ = 0;
    std::array<iovec, 64> pieces_{};
};

} // namespace iscsiscope::testbed
