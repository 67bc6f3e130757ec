// SPDX-License-Identifier: GPL-2.0-or-later
// Readings: the ways to read one direction that are kept side by side. In: pieces of the stream. Out: the
// readings that are left. Each reads on until it waits at a header of which the extent is not in the file;
// there it goes on once for each PDU that forecast() has.
//
// Readings that come to the same state become one, which keeps what they have in common: to the initiator at
// once, to the target, where answers may still distinguish the readings, only while there are more than 16.
// Of too many readings (24 to the initiator, 32 to the target) unlikely ones are left out; from then on only
// a reading that is likelier than all of those can be right. Too many PDUs of all readings stop all of them.
#pragma once

#include "analyzer/iscsi/expectation/reading.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

class Readings {
public:
    // One, from where the framer stands.
    Readings(const PduFramer &, const TaskLedger &);

    // They may be refuted, and note headers; those that are refuted go with drop_refuted().
    std::vector<Reading> &all() { return readings_; }
    const std::vector<Reading> &all() const { return readings_; }
    bool to_target() const { return to_target_; }

    // Reads the piece from `used` on with each.
    void advance(const StreamPiece &, std::uint32_t used, const Reached &);
    // The short way of advance(): every reading is inside a data segment that goes on behind the piece.
    // Returns false, without effect, if one of them is not, or none is left.
    bool pass(const StreamPiece &);
    void drop_refuted();
    // Gives up readings that passed by a header in the file that confirmed another one, and readings to the
    // target that are much unlikelier than another one.
    void drop_outdone();
    // Puts the likeliest reading first, and keeps of its PDUs that begin before an offset what every reading
    // has.
    void reduce(std::uint64_t before);
    // Removes all PDUs that begin before an offset, and returns those of the first reading.
    std::vector<ReadPdu> take(std::uint64_t before);
    // Whether the first reading is likelier than all that were left out.
    bool first_is_likeliest() const { return readings_.front().unlikely < left_out_; }
    // All of them have stopped.
    bool too_many_pdus() const { return too_many_pdus_; }
    // The most that any reading has of PDUs that are not taken.
    Withheld withheld() const;

private:
    void advance(Reading &, const StreamPiece &, const Reached &);
    void merge_waiting(std::uint64_t offset);
    void fork(std::size_t reading, const StreamPiece &, const Reached &);
    void count_pdus();
    void leave_out();
    void leave_out_unlikely();

    bool to_target_;
    bool too_many_pdus_ = false;
    // How unlikely the likeliest reading is that was not followed.
    std::uint32_t left_out_ = ~std::uint32_t{0};
    std::vector<Reading> readings_;
};

} // namespace iscsiscope
