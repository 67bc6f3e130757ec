// SPDX-License-Identifier: GPL-2.0-or-later
// Bridge: follows one direction from a PDU boundary on through headers whose bytes the file does not have:
// cut by the snap length, or in packets that were not captured. At each of them it asks forecast() what can
// come, and keeps a reading of the stream for each answer. A header that is in the file, where a reading
// expects one, confirms it, or refutes it by its tag, offset or number. Readings that come to the same state
// are one, which keeps what they have in common. What is predicted is delivered only after all readings are
// confirmed, and only what they have in common. Memory is bounded: with too many readings, or too much fed,
// the bridge is refuted.
#pragma once

#include "analyzer/iscsi/framing/expectation/reading.h"
#include "analyzer/iscsi/framing/expectation/sync_context.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace iscsiscope {

class Bridge {
public:
    // A piece as it was fed, for a search when no reading is left.
    struct Kept {
        StreamPiece piece; // without bytes
        std::uint32_t used = 0;
        Reached reached;
        std::vector<std::byte> bytes;
    };

    enum class State : std::uint8_t { open, confirmed, refuted };

    // The framer stands at a header of which bytes are missing (header_cut()).
    Bridge(const PduFramer &, const TaskLedger &);

    // Reads the piece from `used` on. After refuted no more may be fed.
    State feed(const StreamPiece &, std::uint32_t used, const Reached &, const SyncContext &);
    // A header of the other direction is delivered, whose sender had received so many bytes of this one, or
    // fewer. With `counts` all of them are fed: the number that the header expects next may confirm a
    // reading, and what its sender cannot have sent refutes it (agrees_with()).
    State note(const Pdu &, std::uint64_t received, bool counts);
    // The tag of a PDU that was delivered has become known (TaskLedger::note_named).
    void note_named(const Pdu &pdu) {
        for (Reading &r : readings_)
            r.ledger.note_named(pdu);
    }
    // After confirmed: the likeliest reading, its PDUs reduced to those that every reading has.
    Reading &confirmed() { return readings_.front(); }
    // While open: removes and returns the PDUs that are confirmed, reduced likewise.
    std::vector<ReadPdu> take_sure();
    // The tasks of which PDUs may lie where confirmed() or take_sure() have none.
    const std::vector<std::uint32_t> &doubtful() const { return readings_.front().doubtful; }
    // The boundary behind which nothing has been taken, and what was fed from there on, in order. What was
    // fed of it before the bridge began is missing.
    std::uint64_t resume() const { return resume_; }
    const std::deque<Kept> &kept() const { return kept_; }
    // What a reading has at most that is not taken.
    TaskLedger::Withheld withheld() const;
    void set_withheld(TaskLedger::Withheld by_the_other_direction) {
        for (Reading &r : readings_)
            r.ledger.set_withheld(by_the_other_direction);
    }

private:
    void advance(Reading &, const StreamPiece &, const Reached &);
    void advance_all(const StreamPiece &, const Reached &);
    void merge_waiting(std::uint64_t offset);
    void fork(std::size_t reading, const StreamPiece &, const Reached &);
    std::size_t all_pdus() const;
    void leave_out();
    void leave_out_unlikely();
    State judge(bool segment_ends);
    void heed_headers(const StreamPiece &, std::uint32_t used, const SyncContext &);
    void reduce(std::uint64_t before);

    const bool to_target_;
    std::vector<Reading> readings_;
    std::deque<Kept> kept_;
    std::uint64_t resume_;
    std::size_t kept_bytes_ = 0;
    std::uint32_t left_out_ =
        ~std::uint32_t{0};  // how unlikely the likeliest reading is that was not followed
    bool overflow_ = false; // too much was fed
};

} // namespace iscsiscope
