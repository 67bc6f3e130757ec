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
    // The bytes of the CDB after the 16 in the basic header; points into the parsed bytes.
    std::span<const std::byte> extended_cdb{};
    std::optional<std::uint32_t> bidirectional_read_length; // bytes

    // `bytes` is the whole AHS area (TotalAHSLength). nullopt: a length that does not fit, or a segment of a
    // known type that occurs twice or has a wrong length. Unknown types are skipped.
    static std::optional<AdditionalHeaders> parse(std::span<const std::byte> bytes);

    // Returns the AHS area, padded; its size is the value of ScsiCommand::ahs_length. An extended CDB longer
    // than 244 bytes (260 in all, SPC) is cut.
    std::vector<std::byte> encode() const;
};

} // namespace iscsiscope
