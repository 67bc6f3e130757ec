// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include "analyzer/iscsi/framing/iscsi_connection.h"

#include <algorithm>
#include <limits>

namespace iscsiscope {

struct IscsiEngine::State {
    PduSink &sink;
    AnomalySink &anomalies;
    IscsiEngineOptions options;
    IscsiCoverage coverage;
    KeyPool keys;
    // By connection slot; null: no payload yet, or not iSCSI.
    struct Slot {
        std::unique_ptr<IscsiConnection> connection;
        bool off = false;
    };
    std::vector<Slot> slots;

    Slot &slot(const Connection &c) {
        if (c.slot >= slots.size())
            slots.resize(c.slot + 1);
        return slots[c.slot];
    }
    bool known_port(const Connection &c) const {
        const auto known = [&](std::uint16_t port) {
            return port == 3260 || port == 860 ||
                   std::find(options.ports.begin(), options.ports.end(), port) != options.ports.end();
        };
        return known(c.ends[0].endpoint.port) || known(c.ends[1].endpoint.port);
    }
};

IscsiEngine::IscsiEngine(PduSink &sink, AnomalySink &anomalies, IscsiEngineOptions options)
    : state_(std::make_unique<State>(State{.sink = sink,
                                           .anomalies = anomalies,
                                           .options = std::move(options),
                                           .coverage = {},
                                           .keys = {},
                                           .slots = {}})) {}

IscsiEngine::~IscsiEngine() = default;

const IscsiCoverage &IscsiEngine::coverage() const {
    return state_->coverage;
}

bool IscsiEngine::given_up(const Connection &c) const {
    return c.slot < state_->slots.size() && state_->slots[c.slot].off;
}

void IscsiEngine::on_open(const Connection &connection) {
    state_->slot(connection) = {};
}

void IscsiEngine::on_piece(const Connection &connection, Side sender, const StreamPiece &piece) {
    State::Slot &slot = state_->slots[connection.slot];
    if (slot.off)
        return;
    if (!slot.connection)
        slot.connection = std::make_unique<IscsiConnection>(
            connection, state_->known_port(connection), state_->options.search_limit,
            IscsiConnection::Shared{state_->sink, state_->anomalies, state_->coverage, state_->keys});
    slot.connection->piece(sender, piece);
    if (slot.connection->off()) {
        slot.connection.reset();
        slot.off = true;
    }
}

void IscsiEngine::on_segment(const Connection &connection, const SegmentReport &report) {
    const State::Slot &slot = state_->slots[connection.slot];
    if (slot.connection && slot.connection->recognised())
        state_->sink.on_segment(connection, report);
}

void IscsiEngine::on_close(const Connection &connection, CloseReason reason, Time at, FrameNumber frame) {
    State::Slot &slot = state_->slots[connection.slot];
    if (slot.connection) {
        slot.connection->close();
        if (slot.connection->recognised())
            state_->sink.on_close(connection, reason, at, frame);
    }
    slot = {};
}

std::uint64_t IscsiEngine::content_needed_from(const Connection &connection, Side sender) {
    const State::Slot &slot = state_->slots[connection.slot];
    if (slot.off)
        return std::numeric_limits<std::uint64_t>::max();
    return slot.connection ? slot.connection->content_needed_from(sender) : 0;
}

} // namespace iscsiscope
