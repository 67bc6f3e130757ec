// SPDX-License-Identifier: GPL-2.0-or-later
// FramingRules: how the PDUs of a direction are to be read, as far as whoever reads it has settled that. They
// may change between two pieces of the stream. The digests of a PDU under way stay those with which it began.
#pragma once

#include <cstdint>

namespace iscsiscope {

// Whether a digest is in use on a connection.
enum class DigestMode : std::uint8_t { off, on, unknown };

struct DigestModes {
    DigestMode header = DigestMode::off, data = DigestMode::off;
};

struct FramingRules {
    DigestModes digests;
    // A digest that does not match ends the reading.
    bool strict = false;
    // In the login phase only Login PDUs and Reject are taken as headers: any other PDU means that the end of
    // the login, which determines the digests, was not seen.
    bool login_phase = false;
    // A header whose extent is not in the file: PduFramer::feed() passes its bytes and returns `hidden`, and
    // assume() says what it is. Without this, feed() returns `lost` at the first byte that is not there.
    bool follow_hidden = false;
};

} // namespace iscsiscope
