// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/iscsi_connection.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

namespace {

constexpr std::uint32_t whole_text = 64 * 1024; // kept of a Login or Text data segment

bool is_login(Opcode o) {
    return o == Opcode::login_request || o == Opcode::login_response;
}

bool has_text(Opcode o) {
    return is_login(o) || o == Opcode::text_request || o == Opcode::text_response;
}

// The use of a digest as negotiated in the login. If parts of the login are missing, only an answer that
// names the key is certain: by RFC 7143 section 6.2 the answer alone determines the result.
DigestMode digest_after(const Login &login, std::string_view key) {
    const std::optional<NegotiatedKey> k = login.keys.find(key);
    if (k && k->target && (login.whole || *k->target == "CRC32C" || *k->target == "None"))
        return *k->target == "CRC32C" ? DigestMode::on : DigestMode::off;
    if (!login.whole)
        return DigestMode::unknown;
    return k && k->in_force == "CRC32C" ? DigestMode::on : DigestMode::off;
}

// The stream has ended with few headers in each direction, none of them proved: two headers of opposite
// directions prove each other if their sequence numbers agree. Returns these numbers.
std::optional<SyncContext> proved_mutually(const std::vector<HeaderBytes> &one_way,
                                           const std::vector<HeaderBytes> &other_way) {
    for (const HeaderBytes &one : one_way) {
        for (const HeaderBytes &two : other_way) {
            SyncContext context;
            context.note(HeaderView{one});
            if (is_request(HeaderView{one}.opcode()) != is_request(HeaderView{two}.opcode()) &&
                context.matches(HeaderView{two})) {
                context.note(HeaderView{two});
                return context;
            }
        }
    }
    return std::nullopt;
}

} // namespace

IscsiConnection::IscsiConnection(const Connection &connection, bool known_port, const Shared &shared)
    : connection_(connection), shared_(shared), recognition_(known_port) {
    if (connection.starts_with_syn) {
        // The opener of the TCP connection is taken as the initiator until the first header shows otherwise.
        sides_[0].set_direction(PduDirection::to_target);
        sides_[1].set_direction(PduDirection::to_initiator);
        for (DirectionFollower &side : sides_)
            side.begin_login();
    }
}

void IscsiConnection::piece(Side sender, const StreamPiece &piece) {
    if (recognition_.recognised() && !piece.unseen)
        counted_.cut_bytes += piece.length - piece.captured;
    if (piece.unseen || piece.captured < piece.length)
        context_.lacks_bytes();
    if (piece.acknowledged != unknown_offset) {
        auto &received = received_[index(sender)];
        received = received == unknown_offset ? piece.acknowledged : std::max(received, piece.acknowledged);
    }
    sides_[index(sender)].feed(piece, *this);
}

void IscsiConnection::set_initiator(Side side) {
    recognition_.set_initiator(side);
    sides_[index(side)].set_direction(PduDirection::to_target);
    sides_[index(other(side))].set_direction(PduDirection::to_initiator);
    shared_.sink.on_iscsi(connection_, side);
}

bool IscsiConnection::recognised(Side side, PduDirection direction) {
    const Side initiator = direction == PduDirection::to_target ? side : other(side);
    if (recognition_.recognised())
        return recognition_.initiator() == initiator;
    set_initiator(initiator);
    return true;
}

std::uint32_t IscsiConnection::header(Side side, Pdu &pdu) {
    if (!recognition_.recognised())
        set_initiator(pdu.direction == PduDirection::to_target ? side : other(side));
    context_.complete(pdu);
    const Side there = other(side);
    DirectionFollower &peer = sides_[index(there)];
    const ConnectionEnd &end = connection_.end(there);
    const std::uint64_t received = received_[index(side)];
    const bool fed = received != unknown_offset && received <= end.stream_bytes + end.unseen_bytes;
    pdu.overtakes = peer.withholds();
    if (fed && !peer.withholds() && context_.ledger() != nullptr)
        context_.ledger()->note_order(pdu);
    peer.note_other(pdu, received, fed, *this);
    if (const TaskLedger *ledger = context_.ledger())
        names_.header(pdu, ledger->state(), [this](const Pdu &p) { named(p); });
    context_.complete(pdu);
    context_.note(pdu);
    delivered_ = true;
    const std::uint32_t wanted = shared_.sink.on_header(connection_, pdu);
    // In a capture that begins with this request the first bytes of the target are the answer.
    if (pdu.view().opcode() == Opcode::login_request)
        peer.begin_login();
    return has_text(pdu.view().opcode()) ? whole_text : wanted;
}

void IscsiConnection::named(const Pdu &pdu) {
    context_.ledger()->note_named(pdu);
    for (DirectionFollower &side : sides_)
        side.note_named(pdu);
    shared_.sink.on_pdu_named(connection_, pdu);
}

void IscsiConnection::pdu(const Pdu &pdu) {
    ++counted_.pdus;
    counted_.inferred_pdus += pdu.inferred ? 1 : 0;
    if (pdu.header_digest == DigestState::bad || pdu.data_digest == DigestState::bad)
        anomaly(AnomalyKind::digest_mismatch, pdu.last_frame, pdu.computed_digest);
    delivered_ = true;
    shared_.sink.on_pdu(connection_, pdu);
    if (const TaskLedger *ledger = context_.ledger())
        names_.delivered(pdu, ledger->state(), [this](const Pdu &p) { named(p); });
    if (login_ended_ || !is_login(pdu.view().opcode()))
        return;
    if (!login_)
        login_ = std::make_unique<LoginTracker>();
    auto login = login_->pdu(pdu);
    if (login_->text_malformed())
        anomaly(AnomalyKind::login_malformed, pdu.last_frame, 0);
    if (login) {
        login_.reset();
        login_ended_ = true;
        finish_login(*login);
    }
}

void IscsiConnection::finish_login(Login &login) {
    shared_.keys.share(login.keys.keys);
    if (login.accepted) {
        const DigestMode header = digest_after(login, "HeaderDigest");
        const DigestMode data = digest_after(login, "DataDigest");
        // If unknown, the first header after the login is searched for with and without digests.
        if (header != DigestMode::unknown && data != DigestMode::unknown)
            for (DirectionFollower &side : sides_)
                side.set_digests(header, data);
    }
    const auto known = [&](Parameter p, std::uint32_t v) { return login.keys.known.has(p) ? v : 0; };
    const OperationalParameters &keys = login.keys.parameters;
    context_.negotiated(
        {.data_in = known(Parameter::max_recv_initiator, keys.max_recv_data_segment_length_initiator),
         .data_out = known(Parameter::max_recv_target, keys.max_recv_data_segment_length_target),
         .burst = known(Parameter::max_burst_length, keys.max_burst_length)});
    shared_.sink.on_login(connection_, login);
}

void IscsiConnection::sync_lost(Side side, std::uint64_t offset) {
    const std::optional<PduDirection> &direction = sides_[index(side)].facts().direction;
    if (login_ && direction)
        login_->missing(*direction == PduDirection::to_target ? Party::initiator : Party::target);
    if (recognition_.recognised()) {
        shared_.sink.on_sync_lost(connection_, *direction, offset);
        return;
    }
    if (offset == 0)
        no_login(side);
}

// The first bytes of a connection captured from its SYN are no Login PDU. On a port that is not known for
// iSCSI the connection is then not iSCSI, unless some of these bytes are unseen.
void IscsiConnection::no_login(Side side) {
    if (connection_.end(side).unseen_bytes == 0)
        recognition_.note_no_login();
}

void IscsiConnection::digests_found(Side side, DigestMode header, DigestMode data) {
    sides_[index(other(side))].learn_digests(header, data);
}

void IscsiConnection::anomaly(AnomalyKind kind, FrameNumber frame, std::int64_t detail) {
    if (recognition_.recognised())
        shared_.anomalies.on_anomaly(
            {.kind = kind, .frame = known_frame(frame), .stream = connection_.stream, .detail = detail});
}

std::uint64_t IscsiConnection::search_limit() {
    return recognition_.certainly_iscsi() ? std::numeric_limits<std::uint64_t>::max() : shared_.search_limit;
}

std::uint64_t IscsiConnection::content_needed_from(Side sender) const {
    const std::uint64_t next = connection_.end(sender).stream_bytes + connection_.end(sender).unseen_bytes;
    return off() ? std::numeric_limits<std::uint64_t>::max()
                 : sides_[index(sender)].content_needed_from(next);
}

void IscsiConnection::close() {
    if (!context_.known())
        if (auto proved = proved_mutually(sides_[0].unproved(), sides_[1].unproved()))
            context_ = std::move(*proved);
    for (Side side : {Side::opener, Side::acceptor}) {
        const ConnectionEnd &end = connection_.end(side);
        // Behind what was lost and not sent again no byte came to the other end's iSCSI.
        const std::uint64_t all = end.stream_bytes + end.unseen_bytes;
        sides_[index(side)].end(all, end.lost_bytes > 0 ? std::min(all, end.acked_offset) : all, *this);
    }
    if (!recognition_.recognised())
        return;
    IscsiCoverage own{.connections = 1,
                      .pdus = counted_.pdus,
                      .cut_bytes = counted_.cut_bytes,
                      .inferred_pdus = counted_.inferred_pdus};
    for (Side side : {Side::opener, Side::acceptor}) {
        const DirectionFollower &follower = sides_[index(side)];
        own.stream_bytes += connection_.end(side).stream_bytes;
        own.lost_bytes += connection_.end(side).lost_bytes;
        own.unseen_bytes += connection_.end(side).missed_bytes(); // also of a side without pieces
        own.skipped_bytes += follower.facts().skipped_bytes;
        own.resyncs += follower.facts().resyncs;
        own.unfinished_pdus += follower.in_pdu() ? 1 : 0;
    }
    shared_.coverage.add(own);
    if (login_) {
        if (auto login = login_->end()) {
            shared_.keys.share(login->keys.keys);
            shared_.sink.on_login(connection_, *login);
        }
    }
}

} // namespace iscsiscope
