// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/direction_follower.h"

#include <algorithm>

namespace iscsiscope {

namespace {

// Passes the framer's PDUs to the host and notes the sequence numbers of their headers.
class FramerToHost final : public PduFramer::Output {
public:
    FramerToHost(Side side, DirectionHost &host, const PduFramer &framer)
        : side_(side), host_(host), framer_(framer) {}
    std::uint32_t header(Pdu &pdu) override {
        if (framer_.odd_header())
            host_.anomaly(AnomalyKind::malformed_pdu, pdu.header_frame,
                          static_cast<std::int64_t>(pdu.view().opcode()));
        return host_.header(side_, pdu);
    }
    void pdu(const Pdu &pdu) override { host_.pdu(pdu); }
    bool continues(HeaderView h) override { return host_.context().matches(h); }
    bool credible(const Pdu &) override { return true; } // it stands where a header must stand
    bool certainly_iscsi() override { return host_.recognition().certainly_iscsi(); }

private:
    const Side side_;
    DirectionHost &host_;
    const PduFramer &framer_;
};

} // namespace

void DirectionFollower::begin_login() {
    if (!facts_.direction || framer_ || searching_.open() || facts_.given_up)
        return;
    // RFC 7143 section 6: no digests before the full feature phase.
    framer_.emplace(*facts_.direction, DigestMode::off, DigestMode::off, false);
    framer_->rules().login_phase = true;
}

void DirectionFollower::set_digests(DigestMode header, DigestMode data) {
    facts_.header_digest = header;
    facts_.data_digest = data;
    if (framer_) {
        framer_->rules().login_phase = false;
        framer_->rules().digests = {header, data};
    }
    searching_.settle(header, data);
}

void DirectionFollower::learn_digests(DigestMode header, DigestMode data) {
    facts_.header_digest = learnt(facts_.header_digest, header);
    facts_.data_digest = learnt(facts_.data_digest, data);
    if (framer_ && !framer_->rules().login_phase) {
        DigestModes &digests = framer_->rules().digests;
        digests = {learnt(digests.header, header), learnt(digests.data, data)};
    }
    searching_.settle(facts_.header_digest, facts_.data_digest);
}

void DirectionFollower::process(const StreamPiece &piece, DirectionHost &host) {
    if (facts_.given_up)
        return;
    facts_.come_to(piece);
    read(piece, 0, host);
}

void DirectionFollower::read(const StreamPiece &piece, std::uint32_t used, DirectionHost &host) {
    if (bridging_.open()) {
        if (!bridging_.feed(piece, used, facts_, framer_, host))
            give_up_bridge(host);
    } else if (framer_) {
        frame(piece, used, host);
    } else if (!facts_.given_up) {
        const PduFramer::Result result = searching_.feed(piece, used, facts_, framer_, host);
        if (result != PduFramer::Result::fed)
            begin_search(result, piece, used, host);
    }
}

void DirectionFollower::frame(const StreamPiece &piece, std::uint32_t used, DirectionHost &host) {
    FramerToHost out{facts_.side, host, *framer_};
    facts_.had_sync = true;
    const PduFramer::Result result = framer_->feed(piece, used, facts_.reached, out);
    if (result == PduFramer::Result::fed)
        return;
    // What comes next follows from the tasks once the login is over and the digests are known.
    // A PDU that is in no frame has the times of the frames before it: there must be some.
    if (result == PduFramer::Result::lost && facts_.reached.frame && host.context().ledger() != nullptr &&
        framer_->header_cut() && !framer_->rules().login_phase &&
        framer_->rules().digests.header != DigestMode::unknown &&
        framer_->rules().digests.data != DigestMode::unknown && bridging_.worth_it()) {
        bridging_.begin(*framer_, *host.context().ledger());
        read(piece, used, host);
        return;
    }
    begin_search(result, piece, used, host);
}

// No reading is left: the boundary was lost where the bridge began, and what was fed to it is searched.
void DirectionFollower::give_up_bridge(DirectionHost &host) {
    const auto done = bridging_.take();
    const Reached now = facts_.reached;
    bool first = true;
    done->kept().for_each([&](const KeptPieces::Kept &k) {
        const StreamPiece &piece = k.piece;
        facts_.reached = k.reached;
        if (first) {
            const std::uint64_t from = std::max<std::uint64_t>(done->resume(), piece.offset + k.used);
            facts_.report_loss(done->resume(), piece.frame, host);
            searching_.begin_at(done->resume(), *framer_, facts_, host);
            framer_.reset();
            read(piece, static_cast<std::uint32_t>(from - piece.offset), host);
        } else {
            read(piece, 0, host);
        }
        first = false;
    });
    facts_.reached = now;
}

// The framer cannot go on in this piece, of which it has used so much: what follows is searched.
void DirectionFollower::begin_search(PduFramer::Result why, const StreamPiece &piece, std::uint32_t used,
                                     DirectionHost &host) {
    if (why == PduFramer::Result::choose_digest)
        searching_.begin_with_choice(*framer_, facts_, host);
    else
        used = searching_.begin_at_loss(*framer_, piece, used, facts_, host);
    framer_.reset();
    read(piece, used, host);
}

void DirectionFollower::end(std::uint64_t offset, std::uint64_t received, DirectionHost &host) {
    while (bridging_.open()) // what is read after one may lead to the next, further on
        give_up_bridge(host);
    searching_.end(offset, received, facts_, framer_, host);
}

std::uint64_t DirectionFollower::content_needed_from(std::uint64_t next) const {
    if (facts_.given_up)
        return ~std::uint64_t{0};
    return framer_ && !bridging_.open() ? framer_->content_needed_from(next) : next;
}

} // namespace iscsiscope
