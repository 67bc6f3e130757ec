// SPDX-License-Identifier: GPL-2.0-or-later
// HeaderMask: a set of bytes of a basic header segment; bit i stands for byte i. It says which bytes of a
// header are in the file, and which are known: a snap length may end inside a header. Bytes outside it are
// meaningless.
#pragma once

#include "analyzer/iscsi/codec/header_bytes.h"

#include <bit>
#include <cstdint>

namespace iscsiscope {

using HeaderMask = std::uint64_t;

inline constexpr HeaderMask whole_header = (HeaderMask{1} << basic_header_size) - 1;

// Bytes [at, at + size) of a basic header segment (RFC 7143 section 11.2.1 and the sections of the opcodes).
struct HeaderField {
    std::uint8_t at, size;
    constexpr HeaderMask mask() const { return ((HeaderMask{1} << size) - 1) << at; }
    constexpr bool in(HeaderMask known) const { return (known & mask()) == mask(); }
};

namespace header_field {
inline constexpr HeaderField extent{0, 8}; // opcode, flags, the lengths: they fix the PDU's extent
inline constexpr HeaderField lun{8, 8};
inline constexpr HeaderField initiator_task_tag{16, 4};
inline constexpr HeaderField target_transfer_tag{20, 4};
inline constexpr HeaderField expected_length{20, 4}; // of a SCSI Command
inline constexpr HeaderField cmd_sn{24, 4};
inline constexpr HeaderField stat_sn{24, 4};
inline constexpr HeaderField exp_stat_sn{28, 4};
inline constexpr HeaderField exp_cmd_sn{28, 4};
inline constexpr HeaderField max_cmd_sn{32, 4};
inline constexpr HeaderField cdb{32, 16};
inline constexpr HeaderField login_status{36, 2};
inline constexpr HeaderField data_sn{36, 4}; // also R2TSN
inline constexpr HeaderField buffer_offset{40, 4};
inline constexpr HeaderField desired_length{44, 4}; // of an R2T
inline constexpr HeaderField residual_count{44, 4};
} // namespace header_field

// How many bytes of the header are known from its beginning on without a gap.
constexpr std::size_t known_prefix(HeaderMask known) {
    return static_cast<std::size_t>(std::countr_one(known));
}

} // namespace iscsiscope
