// SPDX-License-Identifier: GPL-2.0-or-later
// HeaderBuilder: writes fields, at byte offsets, into a header that is zero elsewhere, for encode().
#pragma once

#include "analyzer/iscsi/codec/header_bytes.h"
#include "analyzer/iscsi/codec/opcode.h"
#include "analyzer/iscsi/codec/serial.h"
#include "analyzer/iscsi/codec/tags.h"
#include "analyzer/iscsi/codec/wire.h"

#include <cstdint>

namespace iscsiscope {

class HeaderBuilder {
public:
    explicit HeaderBuilder(Opcode o, bool immediate = false) {
        u8(0, static_cast<std::uint8_t>(static_cast<std::uint8_t>(o) | (immediate ? 0x40 : 0)));
    }

    HeaderBuilder &u8(std::size_t at, std::uint8_t v) {
        wire::store8(&bytes_[at], v);
        return *this;
    }
    HeaderBuilder &u16(std::size_t at, std::uint16_t v) {
        wire::store16(&bytes_[at], v);
        return *this;
    }
    HeaderBuilder &u32(std::size_t at, std::uint32_t v) {
        wire::store32(&bytes_[at], v);
        return *this;
    }
    // Sets bits of byte 1.
    HeaderBuilder &flag(std::uint8_t bits, bool on = true) {
        if (on)
            bytes_[1] |= std::byte{bits};
        return *this;
    }
    HeaderBuilder &data_segment_length(std::uint32_t v) {
        wire::store24(&bytes_[5], v & 0xffffff);
        return *this;
    }
    HeaderBuilder &lun(Lun v) {
        wire::store64(&bytes_[8], static_cast<std::uint64_t>(v));
        return *this;
    }
    HeaderBuilder &initiator_task_tag(InitiatorTaskTag v) { return u32(16, static_cast<std::uint32_t>(v)); }
    HeaderBuilder &target_transfer_tag(TargetTransferTag v) { return u32(20, static_cast<std::uint32_t>(v)); }
    // The numbers that requests with a CmdSN, and all answers, carry at the same offsets.
    HeaderBuilder &request_numbers(CmdSn cmd_sn, StatSn exp_stat_sn) {
        return u32(24, cmd_sn.value).u32(28, exp_stat_sn.value);
    }
    HeaderBuilder &response_numbers(StatSn stat_sn, CmdSn exp_cmd_sn, CmdSn max_cmd_sn) {
        return u32(24, stat_sn.value).u32(28, exp_cmd_sn.value).u32(32, max_cmd_sn.value);
    }
    HeaderBytes &bytes() { return bytes_; }

private:
    HeaderBytes bytes_{};
};

} // namespace iscsiscope
