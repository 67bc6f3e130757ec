// SPDX-License-Identifier: GPL-2.0-or-later
// Segments from before a connection's first payload, kept for the diagnosis: most of what it keeps of a
// connection is for those that carry data, and a capture may hold a million that never do.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace iscsiscope {

class EarlySegments {
public:
    static constexpr std::size_t most = 4; // of a connection: a handshake, and a SYN sent again

    // All of its segments are told, since release(): nearly always.
    bool over(const Connection &c) const {
        return c.slot < slots_.size() && slots_[c.slot].stage == Stage::told;
    }
    // Unless over(). True: the segment is kept, and is none of the diagnosis's business yet. False: it is to
    // be told, behind those that release() tells.
    bool keep(const Connection &c, const SegmentReport &r) {
        if (c.slot >= slots_.size())
            slots_.resize(c.slot + std::size_t{1});
        Slot &slot = slots_[c.slot];
        if (r.segment->payload_length != 0 || (slot.kept && slot.kept->size() == most))
            return false;
        if (!slot.kept)
            slot.kept = std::make_unique<std::vector<Early>>();
        slot.kept->reserve(slot.kept->size() + 1); // no more than that
        slot.kept->push_back({c, *r.segment, r});
        return true;
    }
    // Of this connection none will be kept any more. tell(const Connection &, const SegmentReport &): each
    // one that was, with the connection as it was then.
    template <class Tell>
    void release(const Connection &c, Tell tell) {
        Slot &slot = slots_[c.slot];
        slot.stage = Stage::told;
        if (const auto kept = std::move(slot.kept))
            for (Early &e : *kept) {
                e.report.segment = &e.segment;
                tell(e.connection, e.report);
            }
    }
    // The diagnosis need not know this connection (any more). True the first time.
    bool give_up(const Connection &c) {
        if (c.slot >= slots_.size())
            slots_.resize(c.slot + std::size_t{1});
        Slot &slot = slots_[c.slot];
        slot.kept.reset();
        return std::exchange(slot.stage, Stage::given_up) != Stage::given_up;
    }
    // The connection has closed.
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
    enum class Stage : std::uint8_t { early, told, given_up };
    struct Slot {
        std::unique_ptr<std::vector<Early>> kept;
        Stage stage = Stage::early;
    };
    std::vector<Slot> slots_; // by connection slot
};

} // namespace iscsiscope
