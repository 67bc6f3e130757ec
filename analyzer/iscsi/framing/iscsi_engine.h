// SPDX-License-Identifier: GPL-2.0-or-later
// Byte streams → PDUs and logins. Finds iSCSI by content on any port.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/iscsi/framing/login.h"
#include "analyzer/iscsi/framing/pdu.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

// What the iscsi room tells. For one segment the calls come in this order: on_iscsi (once, when the
// connection is recognised), then on_header / on_pdu / on_login in stream order, then on_segment.
class PduSink {
public:
    virtual ~PduSink() = default;

    // The connection speaks iSCSI, and this side is the initiator. Comes before its first PDU.
    virtual void on_iscsi(const Connection &, Side initiator) = 0;
    // The in-order stream reached the end of a PDU's header (BHS, AHS, header digest). Only offset,
    // header, ahs, header_digest, frame, first_seen, header_frame and header_delivered are final; end_offset
    // counts on what is known of digests. Returns how many bytes of the data segment the sink wants in
    // Pdu::data (at most 64 KiB are kept). Text and login PDUs are always kept by the room itself.
    virtual std::uint32_t on_header(const Connection &, const Pdu &) = 0;
    // The in-order stream reached its end. Every on_pdu has had its on_header.
    virtual void on_pdu(const Connection &, const Pdu &) = 0;
    // A login phase ended (accepted, refused or broken off). Follows the on_pdu that ended it.
    virtual void on_login(const Connection &, const Login &) = 0;
    // PDU boundaries were lost at this offset (a header in unseen or cut bytes, or nonsense); a PDU
    // whose header was told before and whose end had not come will get no on_pdu.
    virtual void on_sync_lost(const Connection &, PduDirection, std::uint64_t offset) = 0;
    // Passed on for connections that have been told with on_iscsi. Segments before that are not.
    virtual void on_segment(const Connection &, const SegmentReport &) = 0;
    virtual void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) = 0;
};

struct IscsiEngineOptions {
    // Ports on which a stream is never given up as "not iSCSI", besides 3260 and 860.
    std::vector<std::uint16_t> ports;
    // Elsewhere a stream met in its middle is searched so far for headers, bytes per direction.
    std::uint64_t search_limit = std::uint64_t{32} << 20;
};

// What was read and what was not, over all iSCSI connections.
struct IscsiCoverage {
    std::uint64_t connections = 0;  // recognised as iSCSI
    std::uint64_t pdus = 0;         // delivered whole
    std::uint64_t stream_bytes = 0; // of recognised connections, both directions
    std::uint64_t cut_bytes = 0;
    std::uint64_t unseen_bytes = 0;  // of connections that have ended; not in stream_bytes
    std::uint64_t skipped_bytes = 0; // passed over while looking for a header
    std::uint64_t resyncs = 0;
    std::uint64_t unfinished_pdus = 0; // header told, end never came
};

class IscsiEngine final : public StreamSink {
public:
    IscsiEngine(PduSink &, AnomalySink &, IscsiEngineOptions = {});
    ~IscsiEngine() override;

    void on_open(const Connection &) override;
    void on_piece(const Connection &, Side sender, const StreamPiece &) override;
    void on_segment(const Connection &, const SegmentReport &) override;
    void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) override;
    std::uint64_t content_needed_from(const Connection &, Side sender) override;

    const IscsiCoverage &coverage() const;
    // Nothing of this connection will be told any more: it is not iSCSI.
    bool given_up(const Connection &) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
