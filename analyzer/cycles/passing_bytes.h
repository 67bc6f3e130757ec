// SPDX-License-Identifier: GPL-2.0-or-later
// PassingBytes: counts the bytes of iSCSI connections' streams as they pass, whatever is known of the PDUs in
// them: the one source of rates over time.
//
// In: each segment of a connection, which states its new bytes; the unseen ones are those that ConnectionEnd
// has more of than before. Out: StreamBytes by sender, with their times. States of a connection: not known to
// speak iSCSI, what passes is kept; known, what was kept is reported first, then all at once.
#pragma once

#include "analyzer/cycles/records/connection_records.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace iscsiscope {

class PassingBytes {
public:
    // Entries kept for each sender of a connection that is not known to speak iSCSI; beyond that neighbours
    // are joined, and have the time of the earlier one.
    static constexpr std::size_t max_early = 32;

    // Takes a segment of a connection that is known to speak iSCSI: calls report(Side, const StreamBytes &)
    // for what passed, after what is kept of the time before that.
    template <class Report>
    static void pass(const Connection &c, const SegmentReport &r, const Report &report) {
        if (find(c) == nullptr && c.ends[0].missed_bytes() == 0 && c.ends[1].missed_bytes() == 0) [[likely]] {
            if (r.new_bytes != 0)
                report(r.side, StreamBytes{r.segment->time, r.new_bytes, 0});
            return;
        }
        release(c, report);
        each(c, r, report);
    }
    // Keeps what passed with a segment of a connection that may still prove to speak it.
    static void keep(const Connection &c, const SegmentReport &r) {
        each(
            c, r, [&c](Side side, const StreamBytes &passed) { keep(c, side, passed); });
    }
    // The connection certainly does not speak iSCSI, or has ended without showing it.
    static void give_up(const Connection &c) { c.notes->drop(NotesOf::passing); }
    // The connection, which is known to speak iSCSI, ends. Reports what is kept, and the bytes that only its
    // end shows to be unseen.
    template <class Report>
    static void close(const Connection &c, const Report &report) {
        release(c, report);
        for (const Side side : {Side::opener, Side::acceptor})
            if (const StreamBytes passed{c.last_time, 0, newly_unseen(c, side)}; passed.unseen != 0)
                report(side, passed);
        c.notes->drop(NotesOf::passing);
    }

private:
    // What few connections have: unseen bytes, or bytes before it was known what they speak.
    struct Notes final : RoomNotes {
        std::array<std::uint64_t, 2> unseen{};         // of each sender, counted so far
        std::array<std::vector<StreamBytes>, 2> early; // by Side: before it was known to speak iSCSI
    };

    static Notes *find(const Connection &c) { return c.notes->find<Notes>(NotesOf::passing); }
    // The count begins anew with the first SYN or payload of a sender: what was unseen before it is not of
    // its stream. What of that was reported already stays so.
    static std::uint64_t newly_unseen(const Connection &c, Side side) {
        const std::uint64_t now = c.end(side).missed_bytes();
        if (now == 0 && find(c) == nullptr)
            return 0;
        Notes &notes = c.notes->find_or_make<Notes>(NotesOf::passing);
        const std::uint64_t before = std::exchange(notes.unseen[index(side)], now);
        if (now < before)
            for (StreamBytes &p : notes.early[index(side)])
                p.unseen = 0;
        return now > before ? now - before : 0;
    }
    template <class Take>
    static void each(const Connection &c, const SegmentReport &r, const Take &take) {
        for (const Side side : {Side::opener, Side::acceptor})
            if (const StreamBytes passed{r.segment->time, side == r.side ? r.new_bytes : 0,
                                         newly_unseen(c, side)};
                passed.total() != 0)
                take(side, passed);
    }
    template <class Report>
    static void release(const Connection &c, const Report &report) {
        Notes *notes = find(c);
        if (notes == nullptr)
            return;
        for (const Side side : {Side::opener, Side::acceptor})
            for (const StreamBytes &p : std::exchange(notes->early[index(side)], {}))
                report(side, p);
        if (notes->unseen == std::array<std::uint64_t, 2>{})
            c.notes->drop(NotesOf::passing);
    }
    static void keep(const Connection &c, Side side, const StreamBytes &passed) {
        std::vector<StreamBytes> &all = c.notes->find_or_make<Notes>(NotesOf::passing).early[index(side)];
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
};

} // namespace iscsiscope
