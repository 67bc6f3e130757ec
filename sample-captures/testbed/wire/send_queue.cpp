// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/wire/send_queue.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::testbed {

void SendQueue::add(OutgoingPdu &&pdu, DigestUse digests) {
    FramedPdu framed(pdu.header, pdu.data, digests);
    if (pdu.spoil_header_digest)
        framed.spoil_header_digest();
    if (pdu.spoil_data_digest)
        framed.spoil_data_digest();
    const std::size_t size = framed.size();
    bytes_ += size;
    queue_.push_back({framed, std::move(pdu.owner), std::move(pdu.first_byte_handed),
                      std::move(pdu.last_byte_handed), 0, size});
}

std::span<iovec> SendQueue::pieces() {
    std::size_t count = 0, total = 0;
    for (const Entry &entry : queue_) {
        const FramedPdu::Parts parts = entry.framed.parts();
        if (count + parts.size() > pieces_.size())
            break;
        std::size_t skip = entry.sent;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (const std::size_t left = parts[i].size() - std::min(skip, parts[i].size()); left > 0) {
                const std::size_t taken = std::min(left, max_bytes_ - total);
                // sendmsg does not write to the bytes it sends.
                pieces_[count++] = {const_cast<std::byte *>(parts[i].data() + skip), taken};
                total += taken;
            }
            skip -= std::min(skip, parts[i].size());
            const bool header_ends_here = i == 2; // basic header, AHS, header digest
            if (total == max_bytes_ || (legacy_ && header_ends_here && total > 0))
                return std::span(pieces_).first(count);
        }
        if (legacy_)
            break;
    }
    return std::span(pieces_).first(count);
}

void SendQueue::handed(std::size_t bytes, std::int64_t ns) {
    bytes_ -= bytes;
    while (bytes > 0) {
        Entry &front = queue_.front();
        if (front.sent == 0 && front.first_byte_handed)
            front.first_byte_handed(ns);
        const std::size_t taken = std::min(bytes, front.size - front.sent);
        front.sent += taken;
        bytes -= taken;
        if (front.sent < front.size)
            return;
        if (front.last_byte_handed)
            front.last_byte_handed(ns);
        queue_.pop_front();
    }
}

void SendQueue::clear() {
    queue_.clear();
    bytes_ = 0;
}

} // namespace iscsiscope::testbed
