// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include "analyzer/iscsi/framing/iscsi_connection.h"

#include <algorithm>
#include <limits>

namespace iscsiscope {

namespace {

constexpr std::uint16_t iscsi_port = 3260; // IANA's user port of iSCSI; 860 is its system port

bool is_known(const IscsiEngineOptions &options, std::uint16_t port) {
    return port == iscsi_port || port == 860 ||
           std::find(options.ports.begin(), options.ports.end(), port) != options.ports.end();
}

} // namespace

struct IscsiEngine::State {
    PduSink &sink;
    AnomalySink &anomalies;
    IscsiEngineOptions options;
    CoverageSum coverage;
    KeyPool keys;
    const IscsiConnection::Shared shared{sink, anomalies, coverage, keys, options.search_limit};

    // Null: it has had no payload yet, or has been given up.
    static IscsiConnection *find(const Connection &c) {
        return c.notes->find<IscsiConnection>(NotesOf::framing);
    }
    IscsiConnection &begin(const Connection &);
};

IscsiConnection &IscsiEngine::State::begin(const Connection &c) {
    const bool known_port =
        is_known(options, c.ends[0].endpoint.port) || is_known(options, c.ends[1].endpoint.port);
    return c.notes->make<IscsiConnection>(NotesOf::framing, c, known_port, shared);
}

IscsiEngine::IscsiEngine(PduSink &sink, AnomalySink &anomalies, IscsiEngineOptions options)
    : state_(new State{
          .sink = sink, .anomalies = anomalies, .options = std::move(options), .coverage = {}, .keys = {}}) {}

IscsiEngine::~IscsiEngine() = default;

FirstPayload IscsiEngine::look_at_first(const IscsiEngineOptions &options, const Segment &first,
                                        bool starts_with_syn) {
    if (is_known(options, first.source.port) || is_known(options, first.destination.port))
        return {true, iscsi_port};
    const std::uint16_t service = std::min(first.source.port, first.destination.port);
    if (!starts_with_syn || first.payload.empty())
        return {true, service};
    const auto opcode = static_cast<Opcode>(std::to_integer<std::uint8_t>(first.payload.front()) & 0x3f);
    return {opcode == Opcode::login_request || opcode == Opcode::login_response, service};
}

IscsiCoverage IscsiEngine::coverage() const {
    return state_->coverage.sum();
}

bool IscsiEngine::given_up(const Connection &c) const {
    return c.notes->given_up(NotesOf::framing);
}

void IscsiEngine::on_open(const Connection &) {}

void IscsiEngine::on_piece(const Connection &connection, Side sender, const StreamPiece &piece) {
    IscsiConnection *found = State::find(connection);
    if (found == nullptr) {
        if (given_up(connection))
            return;
        found = &state_->begin(connection);
    }
    found->piece(sender, piece);
    if (found->off())
        connection.notes->give_up(NotesOf::framing);
}

void IscsiEngine::on_segment(const Connection &connection, const SegmentReport &report,
                             const SendCircumstances *sending) {
    IscsiConnection *found = State::find(connection);
    if (found != nullptr && found->recognition().recognised())
        state_->sink.on_segment(connection, {report, sending, found->take_delivered()});
}

void IscsiEngine::on_close(const Connection &connection, CloseReason reason, Time at, FrameNumber frame) {
    end(connection);
    forget(connection, reason, at, frame);
}

void IscsiEngine::end(const Connection &connection) {
    if (IscsiConnection *found = State::find(connection))
        found->close();
}

void IscsiEngine::forget(const Connection &connection, CloseReason reason, Time at, FrameNumber frame) {
    IscsiConnection *found = State::find(connection);
    if (found == nullptr)
        return;
    if (found->recognition().recognised())
        state_->sink.on_close(connection, reason, at, frame);
    connection.notes->drop(NotesOf::framing);
}

std::uint64_t IscsiEngine::content_needed_from(const Connection &connection, Side sender) {
    if (const IscsiConnection *found = State::find(connection))
        return found->content_needed_from(sender);
    return given_up(connection) ? std::numeric_limits<std::uint64_t>::max() : 0;
}

} // namespace iscsiscope
