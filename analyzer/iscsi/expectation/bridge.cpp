// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/bridge.h"

#include "analyzer/iscsi/codec/pdu/plausible.h"
#include "analyzer/iscsi/expectation/continuation.h"
#include "analyzer/iscsi/expectation/received.h"

#include <algorithm>
#include <optional>

namespace iscsiscope {

namespace {

constexpr std::size_t max_pieces = 16384;                     // pieces
constexpr std::size_t max_piece_bytes = std::size_t{1} << 20; // of their content

} // namespace

Bridge::Bridge(const PduFramer &framer, const TaskLedger &ledger)
    : readings_(framer, ledger), resume_(framer.pdu().offset) {}

Bridge::State Bridge::note(const Pdu &pdu, std::uint64_t received, bool counts) {
    if (readings_.all().empty())
        return State::refuted;
    const bool to_target = readings_.to_target();
    const HeaderView h = pdu.view();
    std::optional<std::uint32_t> expects;
    if (to_target && h.has_exp_cmd_sn() && header_field::exp_cmd_sn.in(pdu.in_file))
        expects = h.exp_cmd_sn().value;
    if (!to_target && h.has_exp_stat_sn() && header_field::exp_stat_sn.in(pdu.in_file))
        expects = h.exp_stat_sn().value;
    bool any = false;
    for (Reading &r : readings_.all()) {
        const LedgerState &state = r.ledger.state();
        if (counts && !agrees_with(r, pdu, received))
            r.refuted = any = true;
        if (to_target)
            r.ledger.note_answer(pdu);
        else
            r.ledger.note(pdu);
        if (!counts || !expects || !r.framer.at_boundary() || r.pdus.empty() || state.commands.shared())
            continue;
        const Pdu &last = r.pdus.back().pdu;
        const auto next = to_target ? state.commands.next() : state.statuses.next();
        const bool counted =
            last.inferred && (to_target ? last.view().consumes_cmd_sn() : last.view().consumes_stat_sn());
        if (counted && next == *expects)
            r.confirmed = any = true;
    }
    return any ? judge(false) : State::open;
}

Bridge::State Bridge::judge(bool segment_ends) {
    readings_.drop_refuted();
    const std::vector<Reading> &left = readings_.all();
    if (left.empty() || overflow_ || readings_.too_many_pdus())
        return State::refuted;
    readings_.drop_outdone();
    // A reading whose data sequence ends exactly where a segment ends is met by that. A PDU without data is
    // not: all of them have the same length.
    const auto ends_here = [&](const Reading &r) {
        if (!segment_ends || !r.framer.at_boundary() || r.pdus.empty())
            return false;
        const Pdu &last = r.pdus.back().pdu;
        return last.data_length > 0 && (last.view().final() || last.view().opcode() == Opcode::scsi_command);
    };
    const auto meets = [&](const Reading &r) {
        if (r.pdus.empty() || left.front().pdus.empty())
            return false;
        const Pdu &here = r.pdus.back().pdu, &there = left.front().pdus.back().pdu;
        return r.confirmed && here.offset == there.offset && here.end_offset == there.end_offset &&
               here.view().opcode() == there.view().opcode();
    };
    const bool one = left.size() == 1 && ends_here(left.front());
    if (!one && !std::all_of(left.begin(), left.end(), meets))
        return State::open;
    readings_.reduce(~std::uint64_t{0});
    return readings_.first_is_likeliest() ? State::confirmed : State::refuted;
}

std::vector<ReadPdu> Bridge::take_sure() {
    std::uint64_t before = ~std::uint64_t{0};
    for (const Reading &r : readings_.all())
        before = std::min(before, r.sure);
    if (before <= resume_)
        return {};
    readings_.reduce(before);
    if (!readings_.first_is_likeliest())
        return {};
    std::vector<ReadPdu> out = readings_.take(before);
    resume_ = before;
    kept_.drop_before(resume_);
    return out;
}

// A header in the piece, or the first part of one where the piece was cut, that speaks of an open task or has
// the numbers that come next, refutes the readings that have no PDU there. Returns whether any is refuted.
// All parts of a PDU are padded to four bytes (RFC 7143 section 11.1), so that one begins at every fourth
// byte from resume_ on.
bool Bridge::heed_headers(const StreamPiece &piece, std::uint32_t used, const SyncContext &context) {
    const PduDirection direction = readings_.all().front().framer.direction();
    const std::size_t least = piece.bytes.size() < piece.length ? partial_header : basic_header_size;
    const std::size_t first = used + ((resume_ - (piece.offset + used)) & 3);
    bool any = false;
    for (std::size_t at = first; at + least <= piece.bytes.size(); at += 4) {
        if (!may_begin(piece.bytes[at], direction))
            continue;
        HeaderBytes bytes{};
        const std::size_t there = std::min(basic_header_size, piece.bytes.size() - at);
        std::copy_n(piece.bytes.begin() + static_cast<std::ptrdiff_t>(at), there, bytes.begin());
        const HeaderView h{bytes};
        const HeaderMask known = there == basic_header_size ? whole_header : (HeaderMask{1} << there) - 1;
        const LedgerState &state = readings_.all().front().ledger.state();
        if (!plausible_beginning(h, there, direction) ||
            !(continues(state, h, known, direction) || (known == whole_header && context.matches(h))))
            continue;
        const std::uint64_t offset = piece.offset + at;
        for (Reading &r : readings_.all()) {
            r.refuted = r.refuted || std::none_of(r.pdus.rbegin(), r.pdus.rend(), [offset](const ReadPdu &p) {
                            return p.pdu.offset == offset;
                        });
            any = any || r.refuted;
        }
    }
    return any;
}

Bridge::State Bridge::feed(const StreamPiece &piece, std::uint32_t used, const Reached &reached,
                           const SyncContext &context) {
    kept_.keep(piece, used, reached);
    overflow_ = overflow_ || kept_.count() > max_pieces || kept_.byte_count() > max_piece_bytes;
    if (used == 0 && !overflow_ && readings_.pass(piece)) {
        // Nothing that judge() looks at has changed unless a header refutes a reading.
        return heed_headers(piece, used, context) ? judge(!piece.unseen) : State::open;
    }
    readings_.advance(piece, used, reached);
    if (!readings_.all().empty())
        heed_headers(piece, used, context);
    return judge(!piece.unseen);
}

} // namespace iscsiscope
