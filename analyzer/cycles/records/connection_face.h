// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionFace: what of an iSCSI connection does not change from the moment at which it is known to speak
// iSCSI. Records of one connection share one face, which lives as long as any of them.
#pragma once

#include "analyzer/capture/segment.h"
#include "analyzer/iscsi/codec/direction.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>
#include <memory>

namespace iscsiscope {

struct ConnectionFace {
    StreamId stream;                   // number of the TCP connection
    std::array<Endpoint, 2> endpoints; // by Side
    FrameNumber first_frame = 0;
    Time first_time{};
    bool starts_with_syn = false; // false: the capture begins within the connection
    Side initiator{};

    const Endpoint &endpoint(Side s) const { return endpoints[index(s)]; }
    const Endpoint &initiator_end() const { return endpoint(initiator); }
    const Endpoint &target_end() const { return endpoint(other(initiator)); }
    Side sender(PduDirection d) const { return d == PduDirection::to_target ? initiator : other(initiator); }
};

using SharedFace = std::shared_ptr<const ConnectionFace>; // never null in a record

} // namespace iscsiscope
