// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/ahs.h"

#include "analyzer/iscsi/codec/header_bytes.h"
#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope {
namespace {

constexpr std::uint8_t type_extended_cdb = 1;
constexpr std::uint8_t type_bidirectional_length = 2;
constexpr std::size_t max_extended_cdb = 260 - 16;

} // namespace

// Each segment: AHSLength (2 bytes, counts the bytes after AHSType), AHSType, AHSSpecific, padding.
// The extended CDB's length counts one reserved byte (section 11.2.2.3), the bidirectional read
// length's as well: 5 (section 11.2.2.4).
std::optional<AdditionalHeaders> AdditionalHeaders::parse(std::span<const std::byte> bytes) {
    AdditionalHeaders result;
    while (bytes.size() >= 4) {
        const std::size_t length = wire::load16(bytes.data());
        const std::uint8_t type = wire::load8(bytes.data() + 2) & 0x3f;
        const std::size_t whole = padded(3 + length);
        if (whole > bytes.size())
            return std::nullopt;
        const auto specific = bytes.subspan(3, length);
        if (type == type_extended_cdb) {
            if (length < 2 || !result.extended_cdb.empty())
                return std::nullopt;
            result.extended_cdb = specific.subspan(1);
        } else if (type == type_bidirectional_length) {
            if (length != 5 || result.bidirectional_read_length)
                return std::nullopt;
            result.bidirectional_read_length = wire::load32(specific.data() + 1);
        }
        bytes = bytes.subspan(whole);
    }
    if (!bytes.empty())
        return std::nullopt;
    return result;
}

std::vector<std::byte> AdditionalHeaders::encode() const {
    std::vector<std::byte> out;
    const auto begin_segment = [&out](std::uint8_t type, std::size_t length) {
        const std::size_t at = out.size();
        out.resize(at + padded(3 + length));
        wire::store16(&out[at], static_cast<std::uint16_t>(length));
        wire::store8(&out[at + 2], type);
        return at + 4; // after the reserved byte
    };
    if (!extended_cdb.empty()) {
        const auto cdb = extended_cdb.first(std::min(extended_cdb.size(), max_extended_cdb));
        const std::size_t at = begin_segment(type_extended_cdb, cdb.size() + 1);
        std::ranges::copy(cdb, out.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (bidirectional_read_length)
        wire::store32(&out[begin_segment(type_bidirectional_length, 5)], *bidirectional_read_length);
    return out;
}

} // namespace iscsiscope
