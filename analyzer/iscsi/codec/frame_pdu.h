// SPDX-License-Identifier: GPL-2.0-or-later
// FramedPdu: a complete PDU as sent on the wire: header, AHS, header digest, data, padding, data digest.
#pragma once

#include "analyzer/iscsi/codec/header_bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace iscsiscope {

struct DigestUse {
    bool header = false;
    bool data = false;
};

// Holds a copy of the header and the digests, and points to the caller's AHS and data, which must
// outlive it. Copyable; parts() points into this object as well.
class FramedPdu {
public:
    // Sets TotalAHSLength and DataSegmentLength in the header. Sizes over max_ahs_length (or not a multiple
    // of 4) or max_data_segment_length are the caller's error: the excess is not sent.
    FramedPdu(const HeaderBytes &header, std::span<const std::byte> ahs, std::span<const std::byte> data,
              DigestUse digests);
    FramedPdu(const HeaderBytes &header, std::span<const std::byte> data, DigestUse digests)
        : FramedPdu(header, {}, data, digests) {}

    // The parts in the order of the wire, as for writev(); parts may be empty.
    using Parts = std::array<std::span<const std::byte>, 5>;
    Parts parts() const;
    std::size_t size() const;

    // Fault injection: replace a digest by one that does not match. No effect if the digest is not in use.
    void spoil_header_digest();
    void spoil_data_digest();

private:
    HeaderBytes header_;
    std::span<const std::byte> ahs_;
    std::array<std::byte, digest_size> header_digest_{};
    std::span<const std::byte> data_;
    std::array<std::byte, 3 + digest_size> trailer_{}; // padding, data digest
    std::uint8_t trailer_size_ = 0;
    bool has_header_digest_ = false;
    bool has_data_digest_ = false;
};

} // namespace iscsiscope
