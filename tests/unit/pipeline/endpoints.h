// SPDX-License-Identifier: GPL-2.0-or-later
// Endpoints of documentation addresses (RFC 5737) for tests.
#pragma once

#include "analyzer/capture/segment.h"

namespace iscsiscope {

// 192.0.2.<host>.
inline Endpoint endpoint_of(std::uint8_t host, std::uint16_t port) {
    Endpoint e;
    e.address.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, host};
    e.port = port;
    return e;
}

} // namespace iscsiscope
