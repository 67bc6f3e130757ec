// SPDX-License-Identifier: GPL-2.0-or-later
// Digests of one connection that could be checked, by the end that computed them (RFC 7143 section 13.1).
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/capture/segment.h"
#include "analyzer/iscsi/codec/direction.h"

#include <cstdint>

namespace iscsiscope {

struct DigestCounts {
    std::uint64_t right = 0, wrong = 0;
    OptionalFrame first_wrong;
};

// Of the digests that one end computed.
struct EndDigests {
    DigestCounts header, data;
};

struct DigestFigures {
    StreamId stream;
    Endpoint initiator, target;
    EndDigests of_initiator, of_target;

    // The end that sends PDUs in this direction.
    EndDigests &sender(PduDirection d) { return d == PduDirection::to_target ? of_initiator : of_target; }
};

} // namespace iscsiscope
