// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace iscsiscope::testbed::shim {

// Where the bytes of a capture go.
class ByteSink {
public:
    virtual ~ByteSink() = default;
    // Takes the next bytes, which end with a whole block. False: the sink has left them out, as a whole.
    virtual bool give(std::vector<std::uint8_t> bytes) = 0;
};

} // namespace iscsiscope::testbed::shim
