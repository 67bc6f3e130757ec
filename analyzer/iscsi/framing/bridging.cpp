// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/bridging.h"

#include <algorithm>

namespace iscsiscope {

namespace {

// It is not known which PDUs lie in these bytes.
void pass_unknown(std::uint64_t from, std::uint64_t to, FrameNumber frame, DirectionFacts &facts,
                  DirectionHost &host) {
    if (from >= to)
        return;
    facts.report_loss(from, frame, host);
    facts.skip(from, to);
    facts.report_resync(from, to, frame, host);
}

} // namespace

bool Bridging::worth_it() {
    constexpr std::uint8_t in_a_row = 4, one_in = 16;
    return refuted_ < in_a_row || ++not_bridged_ % one_in == 0;
}

bool Bridging::feed(const StreamPiece &piece, std::uint32_t used, DirectionFacts &facts,
                    std::optional<PduFramer> &framer, DirectionHost &host) {
    bridge_->set_withheld(host.withheld(facts.side));
    return follow(bridge_->feed(piece, used, facts.reached, host.context()), facts, framer, host);
}

bool Bridging::follow(Bridge::State state, DirectionFacts &facts, std::optional<PduFramer> &framer,
                      DirectionHost &host) {
    switch (state) {
    case Bridge::State::open: {
        const std::uint64_t from = bridge_->resume();
        std::vector<ReadPdu> sure = bridge_->take_sure();
        if (const std::uint64_t to = bridge_->resume(); to > from) {
            const std::vector<std::uint32_t> doubtful = bridge_->doubtful();
            if (!deliver_known(sure, from, to, facts, framer, host))
                host.context().ledger()->lost(*facts.direction, doubtful);
        }
        return true;
    }
    case Bridge::State::confirmed: {
        refuted_ = 0;
        const auto done = take();
        Reading &reading = done->confirmed();
        framer.emplace(std::move(reading.framer));
        framer->rules().follow_hidden = false;
        const bool adopts = *facts.direction == PduDirection::to_target;
        adopting_ = adopts ? &reading.ledger : nullptr;
        const bool whole = deliver_known(reading.pdus, done->resume(), done->resume(), facts, framer, host);
        adopting_ = nullptr;
        if (adopts)
            host.context().adopt(std::move(reading.ledger));
        if (!whole)
            host.context().ledger()->lost(*facts.direction, done->doubtful());
        return true;
    }
    case Bridge::State::refuted:
        refuted_ = static_cast<std::uint8_t>(std::min(refuted_ + 1, 255));
        break;
    }
    return false;
}

// Delivers what a bridge has confirmed of the bytes from one offset to another, and reports what of them is
// not known. Returns whether all of it is known.
bool Bridging::deliver_known(std::vector<ReadPdu> &pdus, std::uint64_t from, std::uint64_t to,
                             DirectionFacts &facts, std::optional<PduFramer> &framer, DirectionHost &host) {
    const std::uint32_t resyncs = facts.resyncs; // one for each gap
    delivering_ = true;
    for (ReadPdu &p : pdus) {
        pass_unknown(from, p.pdu.offset, p.pdu.frame, facts, host);
        deliver(p, facts.side, framer, host);
        from = p.pdu.end_offset;
    }
    pass_unknown(from, to, facts.last_frame, facts, host);
    delivering_ = false;
    return facts.resyncs == resyncs;
}

} // namespace iscsiscope
