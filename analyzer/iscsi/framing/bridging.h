// SPDX-License-Identifier: GPL-2.0-or-later
// Bridging: a direction while Bridge predicts headers whose bytes are not in the file, from the first of them
// to the one that confirms or refutes the prediction. In: pieces of the stream, and the headers and tags that
// the other direction shows. Out: to the host, the PDUs that are confirmed; then the framer that goes on
// behind them. It is closed or open; whoever opens it leaves the framer where the bridge begins.
#pragma once

#include "analyzer/iscsi/expectation/bridge.h"
#include "analyzer/iscsi/framing/direction_facts.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

class Bridging {
public:
    bool open() const { return bridge_ != nullptr; }

    // Returns whether the next header that is not in the file is to be bridged: after four bridges in a row
    // that were refuted, only one in sixteen. A stream that cannot be predicted then costs little more than
    // the search for its headers.
    bool worth_it();
    void begin(const PduFramer &framer, const TaskLedger &ledger) {
        bridge_ = std::make_unique<Bridge>(framer, ledger);
    }

    // Reads the piece from `used` on. Returns false if the bridge is refuted: then take() it, since it has
    // the pieces from its boundary on. If it is confirmed, the framer goes on where it ends.
    bool feed(const StreamPiece &, std::uint32_t used, DirectionFacts &, std::optional<PduFramer> &,
              DirectionHost &);
    // A header of the other direction is about to be delivered: PDUs that it confirms are delivered before
    // it. received: how many bytes of this direction its sender had received, at most; `counts`: all of these
    // are fed here. Returns as feed().
    bool note_other(const Pdu &pdu, std::uint64_t received, bool counts, DirectionFacts &facts,
                    std::optional<PduFramer> &framer, DirectionHost &host) {
        if (adopting_ != nullptr)
            adopting_->note_answer(pdu);
        if (!bridge_)
            return true;
        const Bridge::State state = bridge_->note(pdu, received, counts);
        return delivering_ || follow(state, facts, framer, host);
    }
    // The tag of a PDU of the connection has become known.
    void note_named(const Pdu &pdu) {
        if (adopting_ != nullptr)
            adopting_->note_named(pdu);
        if (bridge_)
            bridge_->note_named(pdu);
    }

    // Only while open.
    Withheld withheld() const { return bridge_->withheld(); }
    // Closes it.
    std::unique_ptr<Bridge> take() { return std::move(bridge_); }

private:
    bool follow(Bridge::State, DirectionFacts &, std::optional<PduFramer> &, DirectionHost &);
    bool deliver_known(std::vector<ReadPdu> &, std::uint64_t from, std::uint64_t to, DirectionFacts &,
                       std::optional<PduFramer> &, DirectionHost &);

    std::unique_ptr<Bridge> bridge_;
    // The ledger of a confirmed reading while the PDUs of that reading are delivered; null otherwise. The
    // connection takes it after that, so it notes what the other direction delivers meanwhile.
    TaskLedger *adopting_ = nullptr;
    bool delivering_ = false; // what the bridge has confirmed
    // Bridges that were refuted since one was confirmed, and headers that were not bridged since.
    std::uint8_t refuted_ = 0, not_bridged_ = 0;
};

} // namespace iscsiscope
