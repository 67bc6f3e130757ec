// SPDX-License-Identifier: GPL-2.0-or-later
// Reading: one way to read a direction from a PDU boundary on, with what it supposes of the headers that are
// not in the file. Bridge keeps several side by side. Copyable.
#pragma once

#include "analyzer/iscsi/expectation/ledger/task_ledger.h"
#include "analyzer/iscsi/pdu/pdu_framer.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

struct Reading final : PduFramer::Output {
    Reading(const PduFramer &f, const TaskLedger &l) : framer(f), ledger(l) {}

    PduFramer framer;
    TaskLedger ledger;
    std::vector<ReadPdu> pdus; // in order; where two do not follow each other it is not known what there is
    std::vector<std::uint32_t> doubtful; // tasks of which a PDU may lie there
    std::uint64_t common_from = 0;       // PDUs that begin before this offset may have been taken out
    std::uint32_t unlikely = 0;          // how many likelier PDUs were passed over
    std::uint64_t sure = 0;              // PDUs that begin before this offset are confirmed
    std::uint64_t anchor = 0; // one past the offset of the latest header in the file that confirmed it
    bool confirmed = false, refuted = false;
    bool waits = false;     // at a header of which the extent is not in the file
    std::uint32_t used = 0; // of the piece that is being fed

    // Whether what waits in its direction is sent in the order in which it was asked for, as far as known.
    bool keeps_order() const {
        return framer.direction() == PduDirection::to_target ? ledger.state().initiator.bursts_in_order()
                                                             : ledger.state().target.answers_in_order();
    }
    // Returns whether two readings differ in nothing that what comes next depends on.
    bool same_state(const Reading &) const;
    // Of the PDUs that begin before an offset, keeps what the other reading has too. With `likelier`, a
    // header field in which they differ keeps its value here.
    void keep_common(const Reading &, std::uint64_t before, bool likelier);

    std::uint32_t header(Pdu &) override;
    void pdu(const Pdu &) override;
    bool credible(const Pdu &) override { return true; } // header() checks it
};

} // namespace iscsiscope
