// SPDX-License-Identifier: GPL-2.0-or-later
// Bridge: follows one direction from a PDU boundary on through headers whose bytes the file does not have:
// cut by the snap length, or in packets that were not captured. At each of them it asks forecast() what can
// come, and keeps a reading of the stream for each answer. A header that is in the file confirms a reading
// that expects it there, or refutes the reading by its tag, offset or number; one of an open task, or with
// the numbers that come next, refutes a reading that expects no header there. Headers of the other direction
// confirm and refute as well (note()).
//
// What is predicted is delivered once all readings are confirmed up to there, or once the only reading left
// ends a data sequence where a segment ends; where several are left, only what they have in common
// (Readings). A bridge is open until all readings are confirmed, or none is left. Too much fed refutes it as
// well.
#pragma once

#include "analyzer/iscsi/expectation/kept_pieces.h"
#include "analyzer/iscsi/expectation/readings.h"
#include "analyzer/iscsi/expectation/sync_context.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

class Bridge {
public:
    enum class State : std::uint8_t { open, confirmed, refuted };

    // The framer stands at a header of which bytes are missing (header_cut()).
    Bridge(const PduFramer &, const TaskLedger &);

    // Reads the piece from `used` on. After refuted no more may be fed.
    State feed(const StreamPiece &, std::uint32_t used, const Reached &, const SyncContext &);
    // A header of the other direction is delivered. Its sender had received at most the first `received`
    // bytes of this direction. With `counts` all of these bytes are fed: then the number that the header
    // expects next may confirm a reading, and a header that its sender cannot have sent refutes it
    // (agrees_with()).
    State note(const Pdu &, std::uint64_t received, bool counts);
    // The tag of a PDU that was delivered has become known (TaskLedger::note_named).
    void note_named(const Pdu &pdu) {
        for (Reading &r : readings_.all())
            r.ledger.note_named(pdu);
    }
    // After confirmed: the likeliest reading, its PDUs reduced to those that every reading has.
    Reading &confirmed() { return readings_.all().front(); }
    // While open: removes and returns the PDUs that are confirmed, reduced likewise.
    std::vector<ReadPdu> take_sure();
    // The tasks of which PDUs may lie where confirmed() or take_sure() have none.
    const std::vector<std::uint32_t> &doubtful() const { return readings_.all().front().doubtful; }
    // The boundary behind which nothing has been taken, and the pieces fed from there on, in order. Bytes of
    // the first header that came before the bridge began are not among them.
    std::uint64_t resume() const { return resume_; }
    const KeptPieces &kept() const { return kept_; }
    // The most that any reading has of PDUs that are not taken.
    Withheld withheld() const { return readings_.withheld(); }
    void set_withheld(Withheld by_the_other_direction) {
        for (Reading &r : readings_.all())
            r.ledger.set_withheld(by_the_other_direction);
    }

private:
    State judge(bool segment_ends);
    bool heed_headers(const StreamPiece &, std::uint32_t used, const SyncContext &);

    Readings readings_;
    KeptPieces kept_;
    std::uint64_t resume_;
    bool overflow_ = false; // too much was fed
};

} // namespace iscsiscope
