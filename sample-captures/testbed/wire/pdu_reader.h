// SPDX-License-Identifier: GPL-2.0-or-later
// Cuts the bytes received on one connection into PDUs and checks their digests. No socket, no clock.
#pragma once

#include "sample-captures/testbed/wire/pdu_link.h"

#include <memory>
#include <optional>

namespace iscsiscope::testbed {

class PduReader {
public:
    // peer: "initiator" or "target", for the sentences of error().
    explicit PduReader(std::string peer) : peer_(std::move(peer)) {}

    void set_digests(DigestUse use) { digests_ = use; }
    void limit_data_segment(std::uint32_t bytes) { limit_ = bytes; } // largest DataSegmentLength accepted
    // Bytes of one read; a PDU that is longer gets the room that it needs.
    void set_read_size(std::size_t bytes) { read_size_ = bytes; }

    // Where the next bytes received are to be written; never empty. Ends the validity of PDUs given out.
    std::span<std::byte> room();
    // The first `bytes` of room() are filled; ns is the time of the read.
    void received(std::size_t bytes, std::int64_t ns);
    // The next PDU that is whole; nothing where more bytes are needed or error() is not empty.
    std::optional<IncomingPdu> next();
    // Why the bytes cannot be followed any further; empty while they can.
    const std::string &error() const { return error_; }

private:
    bool header_is_sound(HeaderView header, std::span<const std::byte> bytes);

    std::string peer_;
    DigestUse digests_;
    std::uint32_t limit_ = 8192;
    void grow(std::size_t size);

    std::size_t read_size_ = std::size_t{256} << 10;
    // Not cleared: a connection that receives little must not take the memory of a whole buffer.
    std::unique_ptr<std::byte[]> buffer_;
    std::size_t size_ = 0;            // of buffer_
    std::size_t begin_ = 0, end_ = 0; // the part of buffer_ that is received and not yet given out
    std::int64_t read_ns_ = 0;        // of the last read
    std::int64_t header_ns_ = 0;      // of the basic header at begin_; 0: it is not whole yet
    bool header_checked_ = false;     // the header at begin_ passed header_is_sound
    std::string error_;
};

} // namespace iscsiscope::testbed
