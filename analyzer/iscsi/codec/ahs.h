// SPDX-License-Identifier: GPL-2.0-or-later
// Additional header segments of a SCSI Command (RFC 7143 section 11.2.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace iscsiscope {

struct AdditionalHeaders {
    // What follows the 16 bytes of the CDB in the basic header; points into the parsed bytes.
    std::span<const std::byte> extended_cdb{};
    std::optional<std::uint32_t> bidirectional_read_length; // bytes

    // `bytes` is the whole AHS area (TotalAHSLength). nullopt: a length that does not fit, or a
    // segment of a known type that stands twice or has a wrong length. Unknown types are passed over.
    static std::optional<AdditionalHeaders> parse(std::span<const std::byte> bytes);

    // The AHS area, padded; its size goes to ScsiCommand::ahs_length. An extended CDB longer than 244
    // bytes (260 in all, SPC) is cut.
    std::vector<std::byte> encode() const;
};

} // namespace iscsiscope
