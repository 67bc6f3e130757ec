// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionHost: the connection, as the followers of its two directions see it. In: headers, PDUs, losses and
// what a search has found out, each with the side that sends in that direction. Out: what a follower must
// know of the connection.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/iscsi/expectation/sync_context.h"
#include "analyzer/iscsi/framing/recognition.h"
#include "analyzer/iscsi/pdu/pdu_framer.h"
#include "analyzer/tcp/hosts/side.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace iscsiscope {

class DirectionHost {
public:
    virtual ~DirectionHost() = default;
    // The follower has found out its direction. Returns false if the other end's headers contradict it.
    virtual bool recognised(Side, PduDirection) = 0;
    // Fills in what follows for a header that the file holds in part.
    virtual std::uint32_t header(Side, Pdu &) = 0;
    virtual void pdu(const Pdu &) = 0;
    virtual void sync_lost(Side, std::uint64_t offset) = 0;
    // The first 48 bytes of the stream are not the header of a Login PDU.
    virtual void no_login(Side) = 0;
    // A search found out which digests the connection uses.
    virtual void digests_found(Side, DigestMode header, DigestMode data) = 0;
    virtual void anomaly(AnomalyKind, FrameNumber, std::int64_t detail) = 0;
    // Whether the connection is known to be iSCSI.
    virtual const Recognition &recognition() = 0;
    // Bytes after which a search gives up.
    virtual std::uint64_t search_limit() = 0;
    // What the other direction may have that is not delivered yet.
    virtual Withheld withheld(Side) = 0;
    // The sequence numbers of the headers of both directions.
    virtual SyncContext &context() = 0;
};

// Delivers a PDU that was read before it was known to be one. If it is not complete, the framer, which there
// is then, goes on with it.
inline void deliver(ReadPdu &p, Side side, std::optional<PduFramer> &framer, DirectionHost &host) {
    p.pdu.ahs = p.ahs;
    p.pdu.data = {};
    const std::uint32_t wanted = host.header(side, p.pdu);
    if (!p.complete) {
        framer->keep(wanted);
        return;
    }
    p.pdu.data = std::span<const std::byte>(p.data).first(std::min<std::size_t>(p.data.size(), wanted));
    host.pdu(p.pdu);
}

} // namespace iscsiscope
