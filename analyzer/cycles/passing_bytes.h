// SPDX-License-Identifier: GPL-2.0-or-later
// PassingBytes: counts the bytes of iSCSI connections' streams as they pass, whatever is known of the PDUs in
// them. Bytes that passed before a connection was known to speak iSCSI are kept, and reported when it is.
#pragma once

#include "analyzer/cycles/records/connection_records.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace iscsiscope {

class PassingBytes {
public:
    // Entries kept for each sender of a connection that is not known to speak iSCSI; beyond that neighbours
    // are joined, and have the time of the earlier one.
    static constexpr std::size_t max_early = 32;

    // Takes a segment. Calls report(Side, const StreamBytes &) for what passed if the connection is known to
    // speak iSCSI, after what is kept of the time before that.
    template <class Report>
    void segment(const Connection &c, const SegmentReport &r, bool known, Report report) {
        Slot &slot = slot_of(c);
        const Time now = r.segment->time;
        if (known && !slot.known) {
            slot.known = true;
            release(slot, report);
        }
        for (const Side side : {Side::opener, Side::acceptor}) {
            StreamBytes passed{now, side == r.side ? r.new_bytes : 0, newly_unseen(slot, c, side)};
            if (passed.total() == 0)
                continue;
            if (known)
                report(side, passed);
            else
                keep(slot, side, passed);
        }
    }
    // The connection certainly does not speak iSCSI.
    void give_up(const Connection &c) {
        if (c.slot < slots_.size())
            slots_[c.slot].extra.reset();
    }
    // Frees the slot of a connection that ends. If it is known to speak iSCSI, first reports what is kept,
    // and the bytes that only its end shows to be unseen.
    template <class Report>
    void close(const Connection &c, bool known, Report report) {
        if (c.slot >= slots_.size())
            return;
        Slot &slot = slots_[c.slot];
        if (known) {
            release(slot, report);
            for (const Side side : {Side::opener, Side::acceptor})
                if (const StreamBytes passed{c.last_time, 0, newly_unseen(slot, c, side)}; passed.unseen != 0)
                    report(side, passed);
        }
        slot = {};
    }

private:
    // What few connections have, so that a slot is small.
    struct Extra {
        std::array<std::uint64_t, 2> unseen{};         // of each sender, counted so far
        std::array<std::vector<StreamBytes>, 2> early; // by Side: before it was known to speak iSCSI
    };
    struct Slot {
        std::unique_ptr<Extra> extra; // null: no unseen and no early bytes
        bool known = false;
    };

    Slot &slot_of(const Connection &c) {
        if (c.slot >= slots_.size())
            slots_.resize(c.slot + std::size_t{1});
        return slots_[c.slot];
    }
    static Extra &extra_of(Slot &slot) {
        if (!slot.extra)
            slot.extra = std::make_unique<Extra>();
        return *slot.extra;
    }
    // The count begins anew with the first SYN or payload of a sender: what was unseen before it is not of
    // its stream. What of that was reported already stays so.
    static std::uint64_t newly_unseen(Slot &slot, const Connection &c, Side side) {
        const std::uint64_t now = c.end(side).missed_bytes();
        if (now == 0 && !slot.extra)
            return 0;
        Extra &extra = extra_of(slot);
        const std::uint64_t before = std::exchange(extra.unseen[index(side)], now);
        if (now < before)
            for (StreamBytes &p : extra.early[index(side)])
                p.unseen = 0;
        return now > before ? now - before : 0;
    }
    template <class Report>
    static void release(Slot &slot, Report report) {
        if (!slot.extra)
            return;
        for (const Side side : {Side::opener, Side::acceptor})
            for (const StreamBytes &p : std::exchange(slot.extra->early[index(side)], {}))
                report(side, p);
        if (slot.extra->unseen == std::array<std::uint64_t, 2>{})
            slot.extra.reset();
    }
    static void keep(Slot &slot, Side side, const StreamBytes &passed) {
        std::vector<StreamBytes> &all = extra_of(slot).early[index(side)];
        if (all.size() == max_early) {
            for (std::size_t i = 0; i < max_early / 2; ++i) {
                all[i] = all[2 * i];
                all[i].captured += all[2 * i + 1].captured;
                all[i].unseen += all[2 * i + 1].unseen;
            }
            all.resize(max_early / 2);
        }
        all.push_back(passed);
    }

    std::deque<Slot> slots_; // by connection slot; a vector would copy itself to grow
};

} // namespace iscsiscope
