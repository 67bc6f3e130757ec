// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/searching.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {

namespace {

// A search behind the place where a framer stands, if there is one. boundary: where a PDU is known to begin.
std::unique_ptr<HeaderSearch> make_search(const DirectionFacts &facts, const PduFramer *framer,
                                          std::optional<std::uint64_t> boundary, DirectionHost &host) {
    const bool by_framer = framer != nullptr && !framer->rules().login_phase;
    return std::make_unique<HeaderSearch>(HeaderSearch::Settings{
        .direction = facts.direction,
        .header_digest = by_framer ? framer->rules().digests.header : facts.header_digest,
        .data_digest = by_framer ? framer->rules().digests.data : facts.data_digest,
        .confirmations = host.recognition().confirmations(),
        .context = &host.context(),
        .boundary = boundary});
}

} // namespace

void Searching::begin_at(std::uint64_t boundary, const PduFramer &framer, const DirectionFacts &facts,
                         DirectionHost &host) {
    search_ = make_search(facts, &framer, boundary, host);
    start_ = boundary;
}

void Searching::begin_with_choice(const PduFramer &framer, const DirectionFacts &facts, DirectionHost &host) {
    search_ = make_search(facts, &framer, std::nullopt, host);
    start_ = framer.pdu().offset;
    search_->fork(framer);
}

std::uint32_t Searching::begin_at_loss(const PduFramer &f, const StreamPiece &piece, std::uint32_t used,
                                       const DirectionFacts &facts, DirectionHost &host) {
    const std::uint64_t at = f.pdu().offset;
    const bool login_end_missed = f.rules().login_phase && f.header_so_far().size() == basic_header_size;
    if (!login_end_missed)
        facts.report_loss(at, piece.frame, host);
    else if (at == 0) // no PDU can have been missed
        host.no_login(facts.side);
    // What begins with no Login PDU may be no iSCSI, and the login's end may have been missed.
    search_ = make_search(facts, &f, f.rules().login_phase ? std::nullopt : std::optional(at), host);
    start_ = at;
    // The search begins with the header bytes of earlier pieces, which are not fed again.
    const auto header = f.header_so_far();
    const std::uint64_t earlier =
        at < piece.offset ? std::min<std::uint64_t>(piece.offset - at, header.size()) : 0;
    search_->begin_with(header.first(static_cast<std::size_t>(earlier)), at,
                        Reached{f.pdu().first_seen, f.pdu().frame},
                        Reached{f.pdu().complete, f.pdu().last_frame}, login_end_missed);
    return at < piece.offset ? (at + earlier == piece.offset ? 0 : used)
                             : static_cast<std::uint32_t>(at - piece.offset);
}

PduFramer::Result Searching::feed(const StreamPiece &piece, std::uint32_t &used, DirectionFacts &facts,
                                  std::optional<PduFramer> &framer, DirectionHost &host) {
    using Stop = HeaderSearch::Trial::Stop;
    if (!search_) {
        search_ = make_search(facts, nullptr, std::nullopt, host);
        start_ = piece.offset + used;
    }
    if (HeaderSearch::Trial *trial = search_->feed(piece, used, facts.reached)) {
        const Stop stop = trial->stop;
        used = trial->stopped_at;
        adopt(*trial, facts, framer, host);
        if (!framer || stop == Stop::none)
            return PduFramer::Result::fed;
        return stop == Stop::lost ? PduFramer::Result::lost : PduFramer::Result::choose_digest;
    }
    if (search_->bytes_searched() > host.search_limit()) {
        facts.given_up = true;
        search_.reset();
    }
    return PduFramer::Result::fed;
}

// Takes over the reading that the search has confirmed. If its last PDU is not complete, the framer continues
// with it.
void Searching::adopt(HeaderSearch::Trial &trial, DirectionFacts &facts, std::optional<PduFramer> &framer,
                      DirectionHost &host) {
    const auto search = std::move(search_); // keeps the trial alive
    const PduDirection direction = trial.framer.direction();
    if (!facts.direction && !host.recognised(facts.side, direction)) {
        facts.given_up = true;
        return;
    }
    facts.direction = direction;
    const Pdu &first = trial.pdus.empty() ? trial.framer.pdu() : trial.pdus.front().pdu;
    const std::uint64_t begin = first.offset;
    if (begin > start_) {
        facts.skip(start_, begin);
        if (TaskLedger *ledger = host.context().ledger()) {
            if (direction == PduDirection::to_initiator)
                ledger->lost_before(first);
            else
                ledger->lost(direction);
        }
    }
    if (facts.had_sync && begin > start_)
        facts.report_resync(start_, begin, first.frame, host);
    facts.had_sync = true;
    const bool login = trial.framer.rules().login_phase;
    if (!login) {
        facts.header_digest = trial.framer.rules().digests.header;
        facts.data_digest = trial.framer.rules().digests.data;
    }
    framer.emplace(std::move(trial.framer));
    framer->rules().strict = false;
    for (HeaderSearch::Trial &earlier :
         search->shelved(direction, facts.header_digest, facts.data_digest, begin))
        for (ReadPdu &p : earlier.pdus)
            deliver(p, facts.side, framer, host);
    for (ReadPdu &p : trial.pdus)
        deliver(p, facts.side, framer, host);
    if (!login)
        host.digests_found(facts.side, facts.header_digest, facts.data_digest);
}

void Searching::end(std::uint64_t offset, std::uint64_t received, DirectionFacts &facts,
                    std::optional<PduFramer> &framer, DirectionHost &host) {
    if (search_)
        if (HeaderSearch::Trial *trial = search_->conclude(offset))
            adopt(*trial, facts, framer, host);
    if (!search_)
        return;
    if (host.context().known()) {
        search_->shelve_all();
        const auto direction = facts.direction ? facts.direction : search_->proved_direction();
        if (direction && (facts.direction || host.recognised(facts.side, *direction))) {
            facts.direction = direction;
            for (HeaderSearch::Trial &earlier :
                 search_->shelved(*direction, facts.header_digest, facts.data_digest, offset))
                for (ReadPdu &p : earlier.pdus)
                    deliver(p, facts.side, framer, host);
        }
    }
    facts.skip(start_, std::min(offset, received));
}

} // namespace iscsiscope
