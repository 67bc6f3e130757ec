// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/direction_follower.h"

#include <algorithm>

namespace iscsiscope {

namespace {

// Passes the framer's PDUs to the host and notes the sequence numbers of their headers.
class FramerToHost final : public PduFramer::Output {
public:
    FramerToHost(DirectionFollower &follower, DirectionFollower::Host &host, const PduFramer &framer)
        : follower_(follower), host_(host), framer_(framer) {}
    std::uint32_t header(Pdu &pdu) override {
        if (framer_.odd_header())
            host_.anomaly(AnomalyKind::malformed_pdu, pdu.header_frame,
                          static_cast<std::int64_t>(pdu.view().opcode()));
        return host_.header(follower_, pdu);
    }
    void pdu(const Pdu &pdu) override { host_.pdu(follower_, pdu); }
    bool continues(HeaderView h) override { return host_.context().matches(h); }
    bool credible(const Pdu &) override { return true; } // it stands where a header must stand
    bool certainly_iscsi() override { return host_.recognition().certainly_iscsi(); }

private:
    DirectionFollower &follower_;
    DirectionFollower::Host &host_;
    const PduFramer &framer_;
};

} // namespace

void DirectionFollower::begin_login() {
    if (!direction_ || framer_ || search_ || off_)
        return;
    // RFC 7143 section 6: no digests before the full feature phase.
    framer_.emplace(*direction_, DigestMode::off, DigestMode::off, false);
    framer_->set_login_phase(true);
}

void DirectionFollower::set_digests(DigestMode header, DigestMode data) {
    header_digest_ = header;
    data_digest_ = data;
    if (framer_) {
        framer_->set_login_phase(false);
        framer_->set_digests(header, data);
    }
    if (search_)
        search_->settle(header, data);
}

void DirectionFollower::learn_digests(DigestMode header, DigestMode data) {
    const auto learn = [](DigestMode here, DigestMode there) {
        return here == DigestMode::unknown ? there : here;
    };
    header_digest_ = learn(header_digest_, header);
    data_digest_ = learn(data_digest_, data);
    if (framer_ && !framer_->login_phase())
        framer_->set_digests(learn(framer_->header_digest(), header), learn(framer_->data_digest(), data));
    if (search_)
        search_->settle(header_digest_, data_digest_);
}

void DirectionFollower::process(const StreamPiece &piece, Host &host) {
    if (off_)
        return;
    last_frame_ = piece.frame;
    if (!piece.unseen)
        reached_.raise(piece.first_seen, piece.frame);
    read(piece, 0, host);
}

void DirectionFollower::read(const StreamPiece &piece, std::uint32_t used, Host &host) {
    if (bridge_)
        bridge(piece, used, host);
    else if (framer_)
        frame(piece, used, host);
    else if (!off_)
        search(piece, used, host);
}

void DirectionFollower::frame(const StreamPiece &piece, std::uint32_t used, Host &host) {
    FramerToHost out{*this, host, *framer_};
    had_sync_ = true;
    switch (framer_->feed(piece, used, reached_, out)) {
    case PduFramer::Result::fed:
        return;
    case PduFramer::Result::choose_digest:
        choose_digest(piece, used, host);
        return;
    case PduFramer::Result::lost:
        // What comes next follows from the tasks once the login is over and the digests are known.
        // A PDU that is in no frame has the times of the frames before it: there must be some.
        if (reached_.frame && host.context().ledger() != nullptr && framer_->header_cut() &&
            !framer_->login_phase() && framer_->header_digest() != DigestMode::unknown &&
            framer_->data_digest() != DigestMode::unknown && worth_a_bridge()) {
            bridge_ = std::make_unique<Bridge>(*framer_, *host.context().ledger());
            bridge(piece, used, host);
            return;
        }
        [[fallthrough]];
    case PduFramer::Result::hidden:
    case PduFramer::Result::digest_mismatch:
        lose(piece, used, host);
        return;
    }
}

// After four bridges in a row that were refuted, one header in sixteen is bridged.
bool DirectionFollower::worth_a_bridge() {
    constexpr std::uint8_t in_a_row = 4, one_in = 16;
    return refuted_bridges_ < in_a_row || ++not_bridged_ % one_in == 0;
}

void DirectionFollower::bridge(const StreamPiece &piece, std::uint32_t used, Host &host) {
    bridge_->set_withheld(host.withheld(*this));
    follow(bridge_->feed(piece, used, reached_, host.context()), host);
}

void DirectionFollower::follow(Bridge::State state, Host &host) {
    switch (state) {
    case Bridge::State::open: {
        const std::uint64_t from = bridge_->resume();
        std::vector<ReadPdu> sure = bridge_->take_sure();
        if (const std::uint64_t to = bridge_->resume(); to > from) {
            const std::vector<std::uint32_t> doubtful = bridge_->doubtful();
            if (!deliver_bridged(sure, from, to, host))
                host.context().ledger()->lost(*direction_, doubtful);
        }
        return;
    }
    case Bridge::State::confirmed: {
        refuted_bridges_ = 0;
        const auto done = std::move(bridge_);
        Reading &reading = done->confirmed();
        framer_.emplace(std::move(reading.framer));
        framer_->follow_hidden(false);
        const bool adopts = *direction_ == PduDirection::to_target;
        adopting_ = adopts ? &reading.ledger : nullptr;
        const bool whole = deliver_bridged(reading.pdus, done->resume(), done->resume(), host);
        adopting_ = nullptr;
        if (adopts)
            host.context().adopt(std::move(reading.ledger));
        if (!whole)
            host.context().ledger()->lost(*direction_, done->doubtful());
        return;
    }
    case Bridge::State::refuted:
        refuted_bridges_ = static_cast<std::uint8_t>(std::min(refuted_bridges_ + 1, 255));
        give_up_bridge(host);
        return;
    }
}

// Delivers what a bridge has confirmed of the bytes from one offset to another, and reports what of them is
// not known. Returns whether all of it is known.
bool DirectionFollower::deliver_bridged(std::vector<ReadPdu> &pdus, std::uint64_t from, std::uint64_t to,
                                        Host &host) {
    const std::uint64_t skipped = skipped_;
    delivering_ = true;
    for (ReadPdu &p : pdus) {
        pass_unknown(from, p.pdu.offset, p.pdu.frame, host);
        deliver(p, host);
        from = p.pdu.end_offset;
    }
    pass_unknown(from, to, last_frame_, host);
    delivering_ = false;
    return skipped_ == skipped;
}

// It is not known which PDUs lie in these bytes.
void DirectionFollower::pass_unknown(std::uint64_t from, std::uint64_t to, FrameNumber frame, Host &host) {
    if (from >= to)
        return;
    report_loss(from, frame, host);
    skipped_ += to - from;
    ++resyncs_;
    host.anomaly(AnomalyKind::resync, frame, static_cast<std::int64_t>(to - from));
}

// No reading is left: the boundary was lost where the bridge began, and what was fed to it is searched.
void DirectionFollower::give_up_bridge(Host &host) {
    const auto done = std::move(bridge_);
    const Reached now = reached_;
    bool first = true;
    done->kept().for_each([&](const KeptPieces::Kept &k) {
        const StreamPiece &piece = k.piece;
        reached_ = k.reached;
        if (first) {
            const std::uint64_t from = std::max<std::uint64_t>(done->resume(), piece.offset + k.used);
            report_loss(done->resume(), piece.frame, host);
            start_search(host, done->resume());
            search_start_ = done->resume();
            framer_.reset();
            search(piece, static_cast<std::uint32_t>(from - piece.offset), host);
        } else {
            read(piece, 0, host);
        }
        first = false;
    });
    reached_ = now;
}

void DirectionFollower::deliver(ReadPdu &p, Host &host) {
    p.pdu.ahs = p.ahs;
    p.pdu.data = {};
    const std::uint32_t wanted = host.header(*this, p.pdu);
    if (!p.complete) {
        framer_->keep(wanted);
        return;
    }
    p.pdu.data = std::span<const std::byte>(p.data).first(std::min<std::size_t>(p.data.size(), wanted));
    host.pdu(*this, p.pdu);
}

// A PDU with data begins, and the use of data digests is unknown: starts a search with and without a digest.
void DirectionFollower::choose_digest(const StreamPiece &piece, std::uint32_t used, Host &host) {
    start_search(host);
    search_start_ = framer_->pdu().offset;
    search_->fork(*framer_);
    framer_.reset();
    search(piece, used, host);
}

void DirectionFollower::report_loss(std::uint64_t at, FrameNumber frame, Host &host) {
    host.anomaly(AnomalyKind::sync_lost, frame, static_cast<std::int64_t>(at));
    host.sync_lost(*this, at);
}

// There is no readable header where one was expected: reports the loss and starts a search.
void DirectionFollower::lose(const StreamPiece &piece, std::uint32_t used, Host &host) {
    const PduFramer &f = *framer_;
    const std::uint64_t at = f.pdu().offset;
    const bool login_end_missed = f.login_phase() && f.header_so_far().size() == basic_header_size;
    if (!login_end_missed)
        report_loss(at, piece.frame, host);
    else if (at == 0) // no PDU can have been missed
        host.no_login(*this);
    // What begins with no Login PDU may be no iSCSI, and the login's end may have been missed.
    start_search(host, f.login_phase() ? std::nullopt : std::optional(at));
    search_start_ = at;
    // The search begins with the header bytes of earlier pieces, which are not fed again.
    const auto header = f.header_so_far();
    const std::uint64_t earlier =
        at < piece.offset ? std::min<std::uint64_t>(piece.offset - at, header.size()) : 0;
    search_->begin_with(header.first(static_cast<std::size_t>(earlier)), at,
                        Reached{f.pdu().first_seen, f.pdu().frame},
                        Reached{f.pdu().complete, f.pdu().last_frame}, login_end_missed);
    const std::uint32_t from = at < piece.offset ? (at + earlier == piece.offset ? 0 : used)
                                                 : static_cast<std::uint32_t>(at - piece.offset);
    framer_.reset();
    search(piece, from, host);
}

void DirectionFollower::start_search(Host &host, std::optional<std::uint64_t> boundary) {
    search_ = std::make_unique<HeaderSearch>(HeaderSearch::Settings{
        .direction = direction_,
        .header_digest = framer_ && !framer_->login_phase() ? framer_->header_digest() : header_digest_,
        .data_digest = framer_ && !framer_->login_phase() ? framer_->data_digest() : data_digest_,
        .confirmations = host.recognition().confirmations(),
        .context = &host.context(),
        .boundary = boundary});
}

void DirectionFollower::search(const StreamPiece &piece, std::uint32_t used, Host &host) {
    if (!search_) {
        start_search(host);
        search_start_ = piece.offset + used;
    }
    if (HeaderSearch::Trial *trial = search_->feed(piece, used, reached_)) {
        const auto stop = trial->stop;
        used = trial->stopped_at;
        adopt(*trial, host);
        if (framer_ && stop == HeaderSearch::Trial::Stop::lost)
            lose(piece, used, host);
        else if (framer_ && stop == HeaderSearch::Trial::Stop::choice)
            choose_digest(piece, used, host);
        return;
    }
    if (search_->bytes_searched() > host.recognition().search_limit()) {
        off_ = true;
        search_.reset();
    }
}

void DirectionFollower::adopt(HeaderSearch::Trial &trial, Host &host) {
    const auto search = std::move(search_); // keeps the trial alive
    const PduDirection direction = trial.framer.direction();
    if (!direction_ && !host.recognised(*this, direction)) {
        off_ = true;
        return;
    }
    direction_ = direction;
    const Pdu &first = trial.pdus.empty() ? trial.framer.pdu() : trial.pdus.front().pdu;
    const std::uint64_t begin = first.offset;
    if (begin > search_start_) {
        skipped_ += begin - search_start_;
        if (TaskLedger *ledger = host.context().ledger()) {
            if (direction == PduDirection::to_initiator)
                ledger->lost_before(first);
            else
                ledger->lost(direction);
        }
    }
    if (had_sync_ && begin > search_start_) {
        ++resyncs_;
        host.anomaly(AnomalyKind::resync, first.frame, static_cast<std::int64_t>(begin - search_start_));
    }
    had_sync_ = true;
    const bool login = trial.framer.login_phase();
    if (!login) {
        header_digest_ = trial.framer.header_digest();
        data_digest_ = trial.framer.data_digest();
    }
    framer_.emplace(std::move(trial.framer));
    framer_->set_strict(false);
    for (HeaderSearch::Trial &earlier : search->shelved(direction, header_digest_, data_digest_, begin))
        deliver(earlier, host);
    deliver(trial, host);
    if (!login)
        host.digests_found(*this, header_digest_, data_digest_);
}

// Delivers the PDUs of a reading. If the last one is not complete, framer_ continues with it.
void DirectionFollower::deliver(HeaderSearch::Trial &trial, Host &host) {
    for (ReadPdu &t : trial.pdus)
        deliver(t, host);
}

void DirectionFollower::end(std::uint64_t offset, Host &host) {
    while (bridge_) // what is read after one may lead to the next, further on
        give_up_bridge(host);
    if (search_ && !off_) {
        if (HeaderSearch::Trial *trial = search_->conclude(offset))
            adopt(*trial, host);
    }
    if (search_ && !off_ && host.context().known()) {
        search_->shelve_all();
        const auto direction = direction_ ? direction_ : search_->proved_direction();
        if (direction && (direction_ || host.recognised(*this, *direction))) {
            direction_ = direction;
            for (HeaderSearch::Trial &earlier :
                 search_->shelved(*direction, header_digest_, data_digest_, offset))
                deliver(earlier, host);
        }
    }
    if (search_ && !off_ && offset > search_start_)
        skipped_ += offset - search_start_;
}

std::uint64_t DirectionFollower::content_needed_from(std::uint64_t next) const {
    if (off_)
        return ~std::uint64_t{0};
    return framer_ && !bridge_ ? framer_->content_needed_from(next) : next;
}

} // namespace iscsiscope
