// SPDX-License-Identifier: GPL-2.0-or-later
// IscsiEngine: turns the byte streams of the tcp room into PDUs and logins, for a PduSink. It finds iSCSI by
// content on any port. Several threads may call it at a time, each for other connections; the sinks must
// outlive it.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/iscsi/framing/login.h"
#include "analyzer/iscsi/framing/segment_event.h"
#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/tcp/stream/connection.h"
#include "analyzer/tcp/stream/connection_directory.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

// The output of the iscsi room. For one segment the calls come in this order: on_iscsi (once, when the
// connection is recognised), then on_header, on_pdu and on_login in stream order, then on_segment.
// References are valid during the call only; a Connection is valid until its on_close returns.
class PduSink {
public:
    virtual ~PduSink() = default;

    // The connection speaks iSCSI, and this side is the initiator. Comes before its first PDU.
    virtual void on_iscsi(const Connection &, Side initiator) = 0;
    // The in-order stream reached the end of a PDU's header (BHS, AHS, header digest). Only offset,
    // header, ahs, header_digest, frame, first_seen, header_frame and header_delivered are final; end_offset
    // assumes the digests known so far. Returns how many bytes of the data segment the sink needs in
    // Pdu::data (at most 64 KiB are kept). The text of Login and Text PDUs is always kept.
    virtual std::uint32_t on_header(const Connection &, const Pdu &) = 0;
    // The in-order stream reached the end of a PDU. Its on_header has been called before.
    virtual void on_pdu(const Connection &, const Pdu &) = 0;
    // A login phase ended (accepted, refused or broken off). Follows the on_pdu that ended it.
    virtual void on_login(const Connection &, const Login &) = 0;
    // A PDU whose on_header and on_pdu had no task tag, since the file does not hold that part of its header:
    // what came later has shown its tag. It has no data. A SCSI Command is named before the on_header of the
    // answer that shows its tag; the answer that ends a task when no other task can have had it, or when a
    // command uses its tag again.
    virtual void on_pdu_named(const Connection &, const Pdu &) {}
    // PDU boundaries were lost at this offset (a header that is unseen, cut or not a header). A PDU that has
    // had its on_header but not its on_pdu will have none.
    virtual void on_sync_lost(const Connection &, PduDirection, std::uint64_t offset) = 0;
    // Each segment and the end of a connection, after its on_iscsi; earlier segments are not passed on.
    virtual void on_segment(const Connection &, const SegmentEvent &) = 0;
    virtual void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) = 0;
};

struct IscsiEngineOptions {
    // Ports on which a stream is never given up as "not iSCSI", besides 3260 and 860.
    std::vector<std::uint16_t> ports;
    // On other ports a stream captured from its middle is searched this far, in bytes per direction.
    std::uint64_t search_limit = std::uint64_t{32} << 20;
};

// How much was read and how much was not, over all iSCSI connections that have ended.
struct IscsiCoverage {
    std::uint64_t connections = 0;  // recognised as iSCSI
    std::uint64_t pdus = 0;         // delivered whole
    std::uint64_t stream_bytes = 0; // of recognised connections, both directions
    std::uint64_t cut_bytes = 0;
    std::uint64_t unseen_bytes = 0;  // of connections that have ended; not in stream_bytes
    std::uint64_t lost_bytes = 0;    // in no frame either, and never acknowledged: lost before the tap
    std::uint64_t skipped_bytes = 0; // skipped during the search for a header
    std::uint64_t resyncs = 0;
    std::uint64_t inferred_pdus = 0;   // of pdus: marked inferred (Pdu)
    std::uint64_t unfinished_pdus = 0; // header delivered, end not
};

class IscsiEngine final : public StreamSink {
public:
    IscsiEngine(PduSink &, AnomalySink &, IscsiEngineOptions = {});
    ~IscsiEngine() override;

    void on_open(const Connection &) override;
    void on_piece(const Connection &, Side sender, const StreamPiece &) override;
    void on_segment(const Connection &c, const SegmentReport &r) override { on_segment(c, r, nullptr); }
    // The same, with what its sender had waited for; null: nothing is known of it.
    void on_segment(const Connection &, const SegmentReport &, const SendCircumstances *);
    void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) override;
    // What on_close() does, in two steps. No byte follows: what waited for more is decided, which may show
    // that the connection speaks iSCSI.
    static void end(const Connection &);
    // The connection is forgotten.
    void forget(const Connection &, CloseReason, Time at, FrameNumber frame);
    std::uint64_t content_needed_from(const Connection &, Side sender) override;

    // What the first payload of a TCP connection shows. It may speak iSCSI: on a port that is not known for
    // iSCSI, one captured from its SYN begins with a Login PDU. Its service is iSCSI on ports that are known
    // for it, and else that of its lower port.
    static FirstPayload look_at_first(const IscsiEngineOptions &, const Segment &, bool starts_with_syn);

    IscsiCoverage coverage() const;
    // True once the connection has been given up as not iSCSI: no more calls to the sink follow for it.
    bool given_up(const Connection &) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
