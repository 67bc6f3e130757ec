// SPDX-License-Identifier: GPL-2.0-or-later
// EarlySegments: holds back the segments before a connection's first payload, so that TcpDiagnosis allocates
// no state for the connections of a capture (possibly a million) that never carry data. Each connection slot
// is early (segments are kept), released (the diagnosis has them) or given up (the diagnosis needs none).
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace iscsiscope {

class EarlySegments {
public:
    static constexpr std::size_t most = 4; // kept per connection: a handshake and a retransmitted SYN

    // True after release(): further segments go to the diagnosis directly.
    bool released(const Connection &c) const {
        return c.slot < slots_.size() && slots_[c.slot].stage == Stage::released;
    }
    // Only while not released(). Returns true if the segment has been kept. Returns false if it is to be
    // passed to the diagnosis, after the segments that release() delivers.
    bool keep(const Connection &c, const SegmentReport &r) {
        if (c.slot >= slots_.size())
            slots_.resize(c.slot + std::size_t{1});
        Slot &slot = slots_[c.slot];
        if (r.segment->payload_length != 0 || (slot.kept && slot.kept->size() == most))
            return false;
        if (!slot.kept)
            slot.kept = std::make_unique<std::vector<Early>>();
        slot.kept->reserve(slot.kept->size() + 1); // exact: vectors of many connections are kept at once
        slot.kept->push_back({c, *r.segment, r});
        return true;
    }
    // Ends the keeping for this connection. Calls deliver(const Connection &, const SegmentReport &) for each
    // kept segment, with the connection's state at that segment.
    template <class Deliver>
    void release(const Connection &c, Deliver deliver) {
        Slot &slot = slots_[c.slot];
        slot.stage = Stage::released;
        if (const auto kept = std::move(slot.kept))
            for (Early &e : *kept) {
                e.report.segment = &e.segment;
                deliver(e.connection, e.report);
            }
    }
    // Drops the kept segments: the diagnosis does not need this connection. Returns true on the first call.
    bool give_up(const Connection &c) {
        if (c.slot >= slots_.size())
            slots_.resize(c.slot + std::size_t{1});
        Slot &slot = slots_[c.slot];
        slot.kept.reset();
        return std::exchange(slot.stage, Stage::given_up) != Stage::given_up;
    }
    // Frees the slot of a closed connection.
    void forget(const Connection &c) {
        if (c.slot < slots_.size())
            slots_[c.slot] = {};
    }

private:
    struct Early {
        Connection connection;
        Segment segment; // without payload
        SegmentReport report;
    };
    enum class Stage : std::uint8_t { early, released, given_up };
    struct Slot {
        std::unique_ptr<std::vector<Early>> kept;
        Stage stage = Stage::early;
    };
    std::vector<Slot> slots_; // by connection slot
};

} // namespace iscsiscope
