// SPDX-License-Identifier: GPL-2.0-or-later
// What a program of the testbed needs of a connection: PDUs in, PDUs out. TcpLink (tcp_link.h) is the link
// over a TCP socket; tests have links made of memory.
#pragma once

#include "analyzer/iscsi/codec/frame_pdu.h"
#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace iscsiscope::testbed {

// All times are CLOCK_REALTIME in nanoseconds. The spans and the header are valid during the call that
// delivers the PDU.
struct IncomingPdu {
    HeaderView header;
    std::span<const std::byte> ahs, data; // data is without its padding
    // A wrong header digest ends the link; a wrong data digest is for the receiver to judge (RFC 7143
    // sections 7.7 and 7.8).
    bool data_digest_ok = true;
    std::int64_t header_ns = 0;   // after the recvmsg that brought the last byte of the basic header
    std::int64_t received_ns = 0; // after the recvmsg that brought the last byte of the PDU
};

struct OutgoingPdu {
    HeaderBytes header{};
    std::span<const std::byte> data{};
    std::shared_ptr<const void> owner{}; // keeps data alive and unchanged until it is sent
    bool spoil_header_digest = false, spoil_data_digest = false; // faults on purpose
    // Called with the time read just before the sendmsg that took the first (or last) byte of the PDU;
    // never within send(), never after the link has ended. Must not use the link.
    std::function<void(std::int64_t ns)> first_byte_handed{}, last_byte_handed{};
};

class PduLinkEvents {
public:
    virtual void on_pdu(const IncomingPdu &) = 0;
    // The link ended by itself: the peer closed it, the network failed, or the bytes cannot be followed.
    // Called once, never within send(), never after close() or close_when_sent().
    virtual void on_link_down(std::string_view reason) = 0;
    // What PduLink::ask_for_room() asked for has come true. Never within send().
    virtual void on_room() {}

    virtual ~PduLinkEvents() = default;
};

// One thread. A link is open, or it sends what is queued before it ends (close_when_sent), or it has ended.
class PduLink {
public:
    virtual ~PduLink() = default;
    // Queues the PDU and sends as much as the socket takes. Ignored unless the link is open.
    virtual void send(OutgoingPdu) = 0;
    // Digests of the PDUs that follow, in both directions.
    virtual void set_digests(DigestUse) = 0;
    // The largest DataSegmentLength accepted in the PDUs that follow, bytes. 8192 at first, the default
    // that holds during login (RFC 7143 section 13.12).
    virtual void limit_data_segment(std::uint32_t bytes) = 0;
    // Ends at once. No event follows.
    virtual void close(std::string_view reason) = 0;
    // Ends when everything queued is sent; nothing more is read. No event follows.
    virtual void close_when_sent(std::string_view reason) = 0;
    // Memory that queued PDUs take, bytes: their data and what is kept of each.
    virtual std::size_t waiting() const { return 0; }
    // How much ought to wait at most, bytes. The link queues more than that where it is given more; the
    // program that sends stops, and goes on in on_room().
    virtual std::size_t output_bound() const { return std::numeric_limits<std::size_t>::max(); }
    // on_room() is called once from the event loop when less than half of output_bound() waits.
    virtual void ask_for_room() {}
    // While input is held, nothing is read and no PDU is delivered; bytes that were received before are kept.
    virtual void hold_input(bool) {}
    // "initiator address:port>target address:port"
    virtual const std::string &name() const = 0;
    // "address:port" of this end.
    virtual std::string local_address() const = 0;
};

} // namespace iscsiscope::testbed
