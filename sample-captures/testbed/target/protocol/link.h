// SPDX-License-Identifier: GPL-2.0-or-later
// A TCP connection as the protocol sees it: PDUs in, PDUs out. tcp_link.h is the one made of a socket;
// tests make their own.
#pragma once

#include "analyzer/iscsi/codec/frame_pdu.h"
#include "sample-captures/testbed/target/protocol/truth_log.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace iscsiscope::testbed {

struct InPdu {
    HeaderBytes header;
    std::span<const std::byte> ahs, data; // valid during the call
    bool data_digest_ok = true;           // a bad header digest ends the link instead (RFC 7143 section 7.7)
    std::int64_t received_ns = 0;         // CLOCK_REALTIME
};

// Where the time of a PDU's first byte going to the socket is kept.
enum class SentAs : std::uint8_t { nothing, data, data_with_status, status, r2t };
struct Stamp {
    std::shared_ptr<CommandRecord> record; // may be null
    SentAs as = SentAs::nothing;
    std::size_t index = 0; // of the R2T
};

struct OutPdu {
    HeaderBytes header{};
    std::span<const std::byte> data{};
    std::shared_ptr<const void> owner{}; // keeps data alive until it is sent
    DigestUse digests{};
    bool spoil_header_digest = false, spoil_data_digest = false;
    Stamp stamp{};
};

class LinkEvents {
public:
    virtual ~LinkEvents() = default;
    virtual void on_pdu(const InPdu &) = 0;
    // The link ended by itself (peer, network, a PDU that cannot be framed); told once, never after close().
    virtual void on_link_down(std::string_view reason) = 0;
};

class Link {
public:
    virtual ~Link() = default;
    // Queues and, as far as the socket takes it, sends. Ignored after the end.
    virtual void send(OutPdu) = 0;
    // Digests of PDUs that come from now on.
    virtual void expect_digests(DigestUse) = 0;
    // The largest DataSegmentLength taken from the peer from now on, bytes.
    virtual void limit_data_segment(std::uint32_t bytes) = 0;
    // Ends at once. No event follows.
    virtual void close(std::string_view reason) = 0;
    // Ends when all that is queued is sent; nothing more is read. No event follows.
    virtual void close_when_sent(std::string_view reason) = 0;
    // "initiator address:port>target address:port"
    virtual const std::string &name() const = 0;
    // The portal's own side as TargetAddress writes it: "127.0.0.1:3260".
    virtual std::string portal() const = 0;
    virtual const std::shared_ptr<ConnectionRecord> &record() const = 0;
};

} // namespace iscsiscope::testbed
