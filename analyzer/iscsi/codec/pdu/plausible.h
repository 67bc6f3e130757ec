// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/iscsi/codec/direction.h"
#include "analyzer/iscsi/codec/header_mask.h"
#include "analyzer/iscsi/codec/header_view.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace iscsiscope {

// Returns whether 48 bytes found anywhere in a stream can be a basic header segment of this direction. Checks
// opcode, reserved bits and bytes, and the flag and tag rules of RFC 7143, with the exceptions that real
// stacks make. Zeros, ones, repeated bytes and text are refused; of random bytes fewer than one in 2^24 pass.
// One plausible header is evidence, not proof: HeaderSearch confirms it by the header that must follow.
bool plausible_header(HeaderView, PduDirection);

// The same without the demand for sequence numbers, which real targets may leave zero: StatSN, and with it
// the ExpStatSN of the Data-Out that the initiator sends.
bool allowed_header(HeaderView, PduDirection);

// The same for a header of which only these bytes are known; the field `extent` must be among them. A field
// that is known in part only is not looked at.
bool allowed_part(HeaderView, HeaderMask known, PduDirection);

// Of a header that the file holds in part so many bytes make evidence: the extent and the tags, or the length
// that a command expects.
inline constexpr std::size_t partial_header = 24;

// plausible_header() where the file holds the first `there` bytes, at least partial_header; the others are
// zero.
bool plausible_beginning(HeaderView, std::size_t there, PduDirection);

// Returns whether a header of this direction can begin with this byte.
inline bool may_begin(std::byte first, PduDirection direction) {
    static constexpr auto directions = [] {
        std::array<std::uint8_t, 256> table{}; // bits by PduDirection
        for (unsigned b = 0; b < 0x80; ++b)
            if (const auto o = static_cast<Opcode>(b & 0x3f); is_known(o))
                table[b] = static_cast<std::uint8_t>(
                    1U << static_cast<unsigned>(is_request(o) ? PduDirection::to_target
                                                              : PduDirection::to_initiator));
        return table;
    }();
    return (directions[std::to_integer<std::size_t>(first)] >> static_cast<unsigned>(direction) & 1) != 0;
}

// Returns whether 48 bytes can be a Login PDU, or a Reject, where RFC 7143 allows no other PDU: at a PDU
// boundary of the login phase. Opcode and lengths are enough there, since the Login Responses with which real
// targets refuse a login leave out the ISID, the numbers or all fields but the status. `first` in its stream,
// a Login Request must have text, which names the initiator. Of random bytes fewer than one in 2^24 pass.
bool login_phase_header(HeaderView, PduDirection, bool first);

} // namespace iscsiscope
