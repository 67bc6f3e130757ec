// SPDX-License-Identifier: GPL-2.0-or-later
// IscsiConnection: the iscsi room's state of one TCP connection: both directions, whether it is recognised,
// the login, and the digests in use. Among the connection's notes.
#pragma once

#include "analyzer/iscsi/expectation/tag_names.h"
#include "analyzer/iscsi/framing/coverage_sum.h"
#include "analyzer/iscsi/framing/direction_follower.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "analyzer/iscsi/framing/login_tracker.h"
#include "analyzer/iscsi/framing/recognition.h"

#include <array>
#include <memory>
#include <utility>

namespace iscsiscope {

class IscsiConnection final : public DirectionHost, public RoomNotes {
public:
    // What all connections of an engine share.
    struct Shared {
        PduSink &sink;
        AnomalySink &anomalies;
        CoverageSum &coverage;
        KeyPool &keys;
        // How far a stream is searched while it may be another protocol's, in bytes.
        std::uint64_t search_limit;
    };
    // All references must outlive the object.
    IscsiConnection(const Connection &, bool known_port, const Shared &);

    void piece(Side sender, const StreamPiece &);
    void close();
    // True if a header or an end of a PDU has been delivered since the last call.
    bool take_delivered() { return std::exchange(delivered_, false); }
    // True once the connection is certainly not iSCSI: it needs no more pieces.
    bool off() const {
        return recognition_.refuted() ||
               (!recognition_.recognised() && sides_[0].facts().given_up && sides_[1].facts().given_up);
    }
    std::uint64_t content_needed_from(Side sender) const;

    bool recognised(Side, PduDirection) override;
    std::uint32_t header(Side, Pdu &) override;
    void pdu(const Pdu &) override;
    void sync_lost(Side, std::uint64_t offset) override;
    void no_login(Side) override;
    void digests_found(Side, DigestMode header, DigestMode data) override;
    void anomaly(AnomalyKind, FrameNumber, std::int64_t detail) override;
    const Recognition &recognition() override { return recognition_; }
    std::uint64_t search_limit() override;
    Withheld withheld(Side side) override { return sides_[index(other(side))].withheld(); }
    SyncContext &context() override { return context_; }

private:
    // As in IscsiCoverage.
    struct Counted {
        std::uint64_t pdus = 0, inferred_pdus = 0, cut_bytes = 0;
    };
    void set_initiator(Side);
    void finish_login(Login &);
    void named(const Pdu &command);

    const Connection &connection_;
    const Shared &shared_;
    Counted counted_;
    std::array<DirectionFollower, 2> sides_{DirectionFollower{Side::opener},
                                            DirectionFollower{Side::acceptor}};
    // How much of the other direction's stream each Side had received when it sent the bytes that are
    // delivered of its own; unknown_offset: not known.
    std::array<std::uint64_t, 2> received_{unknown_offset, unknown_offset};
    SyncContext context_;
    TagNames names_;
    Recognition recognition_;
    bool login_ended_ = false, delivered_ = false;
    std::unique_ptr<LoginTracker> login_; // only during the login, since it keeps the whole text
};

} // namespace iscsiscope
