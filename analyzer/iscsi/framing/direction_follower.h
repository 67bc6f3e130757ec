// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionFollower: finds the PDUs of one direction of a TCP connection. It is in one of four states:
// framing (PDU boundaries are known), bridging (a header's bytes are not in the file, Bridge predicts it),
// searching (the boundaries are lost, HeaderSearch looks for a header), or off (the stream has been given up
// as not iSCSI). Stream pieces go in; PDUs and state changes go to the Host.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/iscsi/expectation/bridge.h"
#include "analyzer/iscsi/expectation/sync_context.h"
#include "analyzer/iscsi/framing/header_search.h"
#include "analyzer/iscsi/framing/recognition.h"
#include "analyzer/iscsi/pdu/pdu_framer.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

class DirectionFollower {
public:
    // The connection that the direction belongs to.
    class Host {
    public:
        virtual ~Host() = default;
        // The follower has found out its direction. Returns false if the other end's headers contradict it.
        virtual bool recognised(DirectionFollower &, PduDirection) = 0;
        // Fills in what follows for a header that the file holds in part.
        virtual std::uint32_t header(DirectionFollower &, Pdu &) = 0;
        virtual void pdu(DirectionFollower &, const Pdu &) = 0;
        virtual void sync_lost(DirectionFollower &, std::uint64_t offset) = 0;
        // The first 48 bytes of the stream are not the header of a Login PDU.
        virtual void no_login(DirectionFollower &) = 0;
        // A search found out which digests the connection uses.
        virtual void digests_found(DirectionFollower &, DigestMode header, DigestMode data) = 0;
        virtual void anomaly(AnomalyKind, FrameNumber, std::int64_t detail) = 0;
        // Whether the connection is known to be iSCSI.
        virtual const Recognition &recognition() = 0;
        // What the other direction may have that is not delivered yet.
        virtual Withheld withheld(DirectionFollower &) = 0;
        // The sequence numbers of the headers of both directions.
        virtual SyncContext &context() = 0;
    };

    // The direction begins with a Login PDU, unless some of it has been read already.
    void begin_login();
    void feed(const StreamPiece &piece, Host &host) {
        if (framer_ && !bridge_ && framer_->pass(piece)) {
            last_frame_ = piece.frame;
            reached_.raise(piece.first_seen, piece.frame);
        } else {
            process(piece, host);
        }
    }
    // The stream has ended.
    void end(std::uint64_t offset, Host &);

    // A header of the other direction is about to be delivered: PDUs that it confirms are delivered before
    // it. received: how many bytes of this direction its sender had received, at most; `counts`: all of these
    // are fed here.
    void note_other(const Pdu &pdu, std::uint64_t received, bool counts, Host &host) {
        if (adopting_ != nullptr)
            adopting_->note_answer(pdu);
        if (!bridge_)
            return;
        const Bridge::State state = bridge_->note(pdu, received, counts);
        if (!delivering_)
            follow(state, host);
    }

    // The tag of a PDU of the connection has become known.
    void note_named(const Pdu &pdu) {
        if (adopting_ != nullptr)
            adopting_->note_named(pdu);
        if (bridge_)
            bridge_->note_named(pdu);
    }

    // Headers that the current search has read but not proved.
    std::vector<HeaderBytes> unproved() const {
        return search_ && !off_ ? search_->unproved() : std::vector<HeaderBytes>{};
    }

    void set_direction(PduDirection d) {
        direction_ = d;
        if (search_)
            search_->settle(d);
    }
    std::optional<PduDirection> direction() const { return direction_; }
    // Sets the digests in use, known from the login or from the search in the other direction.
    void set_digests(DigestMode header, DigestMode data);
    // The same, of what is not known here, while the login may not be over in this direction.
    void learn_digests(DigestMode header, DigestMode data);
    DigestMode header_digest() const { return header_digest_; }
    DigestMode data_digest() const { return data_digest_; }
    // True once the stream has been given up as not iSCSI.
    bool off() const { return off_; }
    bool framing() const { return framer_.has_value(); }
    Withheld withheld() const {
        constexpr std::uint32_t some = 4; // how many is known when the search is over
        return bridge_   ? bridge_->withheld()
               : search_ ? Withheld{.commands = some, .data = true, .r2ts = true}
                         : Withheld{};
    }
    // Headers may have been read that are not delivered yet.
    bool withholds() const { return bridge_ || search_; }
    bool in_pdu() const { return framer_ && framer_->in_pdu(); }
    std::uint64_t content_needed_from(std::uint64_t next) const;
    std::uint64_t skipped_bytes() const { return skipped_; }
    std::uint64_t resyncs() const { return resyncs_; }

private:
    void process(const StreamPiece &, Host &);
    void read(const StreamPiece &, std::uint32_t used, Host &);
    void frame(const StreamPiece &, std::uint32_t used, Host &);
    bool worth_a_bridge();
    void bridge(const StreamPiece &, std::uint32_t used, Host &);
    void follow(Bridge::State, Host &);
    void give_up_bridge(Host &);
    void deliver(ReadPdu &, Host &);
    bool deliver_bridged(std::vector<ReadPdu> &, std::uint64_t from, std::uint64_t to, Host &);
    void pass_unknown(std::uint64_t from, std::uint64_t to, FrameNumber, Host &);
    void choose_digest(const StreamPiece &, std::uint32_t used, Host &);
    void report_loss(std::uint64_t at, FrameNumber, Host &);
    void lose(const StreamPiece &, std::uint32_t used, Host &);
    void search(const StreamPiece &, std::uint32_t used, Host &);
    // boundary: where a PDU is known to begin.
    void start_search(Host &, std::optional<std::uint64_t> boundary = std::nullopt);
    void adopt(HeaderSearch::Trial &, Host &);
    void deliver(HeaderSearch::Trial &, Host &);

    std::optional<PduDirection> direction_;
    DigestMode header_digest_ = DigestMode::unknown, data_digest_ = DigestMode::unknown;
    bool had_sync_ = false; // a header has been delivered
    bool off_ = false;
    bool delivering_ = false; // what the bridge has confirmed
    std::optional<PduFramer> framer_;
    std::unique_ptr<Bridge> bridge_; // framer_ stands where it begins
    std::unique_ptr<HeaderSearch> search_;
    // The ledger of a confirmed reading while the PDUs of that reading are delivered; null otherwise. The
    // connection takes it after that, so it notes what the other direction delivers meanwhile.
    TaskLedger *adopting_ = nullptr;
    std::uint64_t search_start_ = 0;
    std::uint64_t skipped_ = 0;
    FrameNumber last_frame_ = 0;
    std::uint32_t resyncs_ = 0;
    // Bridges that were refuted since one was confirmed, and headers that were not bridged since: a stream
    // that cannot be predicted costs little more than the search for its headers.
    std::uint8_t refuted_bridges_ = 0, not_bridged_ = 0;
    Reached reached_;
};

} // namespace iscsiscope
