// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/frame_pdu.h"

#include "analyzer/base/crc32c/crc32c.h"
#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope {

FramedPdu::FramedPdu(const HeaderBytes &header, std::span<const std::byte> ahs,
                     std::span<const std::byte> data, DigestUse digests)
    : header_(header), ahs_(ahs.first(std::min(ahs.size(), max_ahs_length) & ~std::size_t{3})),
      data_(data.first(std::min(data.size(), max_data_segment_length))) {
    wire::store8(&header_[4], static_cast<std::uint8_t>(ahs_.size() / 4));
    wire::store24(&header_[5], static_cast<std::uint32_t>(data_.size()));
    if (digests.header) {
        has_header_digest_ = true;
        header_digest_ = digest_bytes(crc32c(crc32c(0, header_), ahs_));
    }
    trailer_size_ = static_cast<std::uint8_t>(padded(data_.size()) - data_.size());
    if (digests.data && !data_.empty()) {
        // The padding is covered too (RFC 7143 section 11.2.3).
        const auto padding = std::span<const std::byte>(trailer_).first(trailer_size_);
        const auto digest = digest_bytes(crc32c(crc32c(0, data_), padding));
        std::ranges::copy(digest, trailer_.begin() + trailer_size_);
        trailer_size_ = static_cast<std::uint8_t>(trailer_size_ + digest_size);
        has_data_digest_ = true;
    }
}

FramedPdu::Parts FramedPdu::parts() const {
    const std::span<const std::byte> digest(header_digest_);
    return {std::span<const std::byte>(header_), ahs_, digest.first(has_header_digest_ ? digest_size : 0),
            data_, std::span<const std::byte>(trailer_).first(trailer_size_)};
}

std::size_t FramedPdu::size() const {
    std::size_t n = 0;
    for (const auto part : parts())
        n += part.size();
    return n;
}

void FramedPdu::spoil_header_digest() {
    if (has_header_digest_)
        header_digest_[0] ^= std::byte{1};
}

void FramedPdu::spoil_data_digest() {
    if (has_data_digest_)
        trailer_[trailer_size_ - 1u] ^= std::byte{1};
}

} // namespace iscsiscope
