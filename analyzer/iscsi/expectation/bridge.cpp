// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/bridge.h"

#include "analyzer/iscsi/codec/pdu/plausible.h"
#include "analyzer/iscsi/expectation/continuation.h"
#include "analyzer/iscsi/expectation/forecast.h"
#include "analyzer/iscsi/expectation/received.h"

#include <algorithm>
#include <optional>

namespace iscsiscope {

namespace {

// Readings to the target differ in how many commands and data there are, which the target's answers soon
// show: those that come to the same state stay apart while there are few, and of too many the unlikeliest are
// given up.
constexpr std::size_t max_to_target = 32, few_to_target = 16;
// One is given up that passed over so many more likelier PDUs than another.
constexpr std::uint32_t much_unlikelier = 8;
// Readings to the initiator differ in the order of answers, which nothing may show later: those in the same
// state are one at once, and with this number each goes on with the likeliest PDU only.
constexpr std::size_t max_to_initiator = 24;
constexpr std::size_t max_pdus = 8192;                        // of all readings
constexpr std::size_t max_pieces = 16384;                     // pieces
constexpr std::size_t max_piece_bytes = std::size_t{1} << 20; // of their content

} // namespace

Bridge::Bridge(const PduFramer &framer, const TaskLedger &ledger)
    : to_target_(framer.direction() == PduDirection::to_target), resume_(framer.pdu().offset) {
    readings_.emplace_back(framer, ledger);
    readings_.front().framer.follow_hidden(true);
}

Withheld Bridge::withheld() const {
    Withheld out;
    for (const Reading &r : readings_) {
        std::uint32_t commands = 0;
        for (const ReadPdu &p : r.pdus) {
            commands += p.pdu.view().opcode() == Opcode::scsi_command ? 1 : 0;
            out.data = out.data || p.pdu.view().opcode() == Opcode::data_out;
            out.r2ts = out.r2ts || p.pdu.view().opcode() == Opcode::r2t;
        }
        out.commands = std::max(out.commands, commands);
    }
    return out;
}

Bridge::State Bridge::note(const Pdu &pdu, std::uint64_t received, bool counts) {
    if (readings_.empty())
        return State::refuted;
    const HeaderView h = pdu.view();
    std::optional<std::uint32_t> expects;
    if (to_target_ && h.has_exp_cmd_sn() && header_field::exp_cmd_sn.in(pdu.in_file))
        expects = h.exp_cmd_sn().value;
    if (!to_target_ && h.has_exp_stat_sn() && header_field::exp_stat_sn.in(pdu.in_file))
        expects = h.exp_stat_sn().value;
    bool any = false;
    for (Reading &r : readings_) {
        const LedgerState &state = r.ledger.state();
        if (counts && !agrees_with(r, pdu, received))
            r.refuted = any = true;
        if (to_target_)
            r.ledger.note_answer(pdu);
        else
            r.ledger.note(pdu);
        if (!counts || !expects || !r.framer.at_boundary() || r.pdus.empty() || state.commands.shared())
            continue;
        const Pdu &last = r.pdus.back().pdu;
        const auto next = to_target_ ? state.commands.next() : state.statuses.next();
        const bool counted =
            last.inferred && (to_target_ ? last.view().consumes_cmd_sn() : last.view().consumes_stat_sn());
        if (counted && next == *expects)
            r.confirmed = any = true;
    }
    return any ? judge(false) : State::open;
}

// Reads on to the end of the piece, or to a header of which the extent is not in the file.
void Bridge::advance(Reading &r, const StreamPiece &piece, const Reached &reached) {
    switch (r.framer.feed(piece, r.used, reached, r)) {
    case PduFramer::Result::fed:
        r.used = piece.length;
        return;
    case PduFramer::Result::hidden:
        r.waits = true;
        return;
    case PduFramer::Result::lost:
    case PduFramer::Result::choose_digest:
    case PduFramer::Result::digest_mismatch:
        r.refuted = true;
        return;
    }
}

// Reads the piece with every reading, the one that is behind first, so that those that come to the same place
// can be compared there.
void Bridge::advance_all(const StreamPiece &piece, const Reached &reached) {
    for (Reading &r : readings_)
        advance(r, piece, reached);
    while (!overflow_) {
        std::erase_if(
            readings_, [](const Reading &r) { return r.refuted; });
        const auto behind =
            std::min_element(readings_.begin(), readings_.end(), [](const Reading &a, const Reading &b) {
                return a.waits > b.waits ||
                       (a.waits == b.waits && a.framer.pdu().offset < b.framer.pdu().offset);
            });
        if (behind == readings_.end() || !behind->waits)
            return;
        const std::uint64_t offset = behind->framer.pdu().offset;
        merge_waiting(offset);
        const std::size_t count = readings_.size();
        for (std::size_t i = 0; i < count && !overflow_; ++i)
            if (readings_[i].waits && !readings_[i].refuted && readings_[i].framer.pdu().offset == offset)
                fork(i, piece, reached);
    }
}

// Of the readings that wait at an offset, makes one of those that are in the same state.
void Bridge::merge_waiting(std::uint64_t offset) {
    if (to_target_ && readings_.size() <= few_to_target)
        return;
    const auto here = [offset](const Reading &r) {
        return r.waits && !r.refuted && r.framer.pdu().offset == offset;
    };
    for (std::size_t i = 0; i < readings_.size(); ++i) {
        for (std::size_t k = i + 1; here(readings_[i]) && k < readings_.size(); ++k) {
            if (!here(readings_[k]) || !readings_[i].same_state(readings_[k]))
                continue;
            if (readings_[k].unlikely < readings_[i].unlikely)
                std::swap(readings_[k], readings_[i]);
            Reading &to = readings_[i];
            to.sure = std::min(to.sure, readings_[k].sure);
            to.ledger.take_earlier(readings_[k].ledger);
            to.keep_common(readings_[k], ~std::uint64_t{0}, to.keeps_order());
            readings_[k].refuted = true;
        }
    }
}

// Continues a reading that waits at a header with each PDU that can come there.
void Bridge::fork(std::size_t reading, const StreamPiece &piece, const Reached &reached) {
    std::vector<PredictedHeader> next;
    {
        Reading &r = readings_[reading];
        r.waits = false;
        if (!forecast(r.ledger.state(), r.framer.direction(), piece.acknowledged, next))
            left_out_ = std::min(left_out_, r.unlikely);
        std::erase_if(next, [&](const PredictedHeader &p) { return !p.agrees(r.framer.pdu()); });
        if (r.confirmed)
            r.sure = r.framer.pdu().offset;
        r.confirmed = false;
        r.refuted = next.empty();
    }
    if (!to_target_ && readings_.size() + next.size() > max_to_initiator) {
        left_out_ = std::min(left_out_, readings_[reading].unlikely + 1);
        next.resize(std::min<std::size_t>(next.size(), 1));
    }
    const std::size_t first = readings_.size();
    for (std::size_t i = 1; i < next.size(); ++i)
        readings_.push_back(readings_[reading]);
    for (std::size_t i = 0; i < next.size(); ++i) {
        Reading &r = readings_[i == 0 ? reading : first + i - 1];
        r.unlikely += static_cast<std::uint32_t>(i);
        if (r.framer.assume(next[i].header, next[i].known, reached, r) == PduFramer::Result::fed)
            advance(r, piece, reached);
        else
            r.refuted = true;
    }
    if (to_target_)
        leave_out();
    overflow_ = overflow_ || all_pdus() > max_pdus;
}

std::size_t Bridge::all_pdus() const {
    std::size_t pdus = 0;
    for (const Reading &r : readings_)
        pdus += r.pdus.size();
    return pdus;
}

// With too many readings, gives up the unlikeliest ones.
void Bridge::leave_out() {
    const auto alive = [](const Reading &r) { return !r.refuted; };
    auto count = static_cast<std::size_t>(std::count_if(readings_.begin(), readings_.end(), alive));
    for (; count > max_to_target; --count) {
        const auto worst =
            std::max_element(readings_.begin(), readings_.end(), [](const Reading &a, const Reading &b) {
                return a.refuted > b.refuted || (a.refuted == b.refuted && a.unlikely < b.unlikely);
            });
        worst->refuted = true;
        left_out_ = std::min(left_out_, worst->unlikely);
    }
}

// Gives up readings that are much unlikelier than the likeliest one.
void Bridge::leave_out_unlikely() {
    std::uint32_t least = ~std::uint32_t{0};
    for (const Reading &r : readings_)
        least = std::min(least, r.unlikely);
    std::erase_if(readings_, [&](const Reading &r) {
        const bool much = r.unlikely >= least + much_unlikelier;
        if (much)
            left_out_ = std::min(left_out_, r.unlikely);
        return much;
    });
}

Bridge::State Bridge::judge(bool segment_ends) {
    std::erase_if(readings_, [](const Reading &r) { return r.refuted; });
    if (readings_.empty() || overflow_)
        return State::refuted;
    // A header that confirms one reading refutes those that passed it without noticing.
    const std::uint64_t anchor = std::max_element(
                                     readings_.begin(), readings_.end(),
                                     [](const auto &a, const auto &b) { return a.anchor < b.anchor; })
                                     ->anchor;
    std::erase_if(readings_, [&](const Reading &r) { return r.anchor < anchor; });
    if (to_target_)
        leave_out_unlikely();
    // A reading whose data sequence ends exactly where a segment ends is met by that. A PDU without data is
    // not: all of them have the same length.
    const auto ends_here = [&](const Reading &r) {
        if (!segment_ends || !r.framer.at_boundary() || r.pdus.empty())
            return false;
        const Pdu &last = r.pdus.back().pdu;
        return last.data_length > 0 && (last.view().final() || last.view().opcode() == Opcode::scsi_command);
    };
    const auto meets = [&](const Reading &r) {
        if (r.pdus.empty() || readings_.front().pdus.empty())
            return false;
        const Pdu &here = r.pdus.back().pdu, &there = readings_.front().pdus.back().pdu;
        return r.confirmed && here.offset == there.offset && here.end_offset == there.end_offset &&
               here.view().opcode() == there.view().opcode();
    };
    const bool one = readings_.size() == 1 && ends_here(readings_.front());
    if (!one && !std::all_of(readings_.begin(), readings_.end(), meets))
        return State::open;
    reduce(~std::uint64_t{0});
    return readings_.front().unlikely < left_out_ ? State::confirmed : State::refuted;
}

// Puts the likeliest reading first, and keeps of its PDUs that begin before an offset what every reading has.
void Bridge::reduce(std::uint64_t before) {
    std::stable_sort(readings_.begin(), readings_.end(),
                     [](const Reading &a, const Reading &b) { return a.unlikely < b.unlikely; });
    Reading &to = readings_.front();
    for (std::size_t i = 1; i < readings_.size(); ++i)
        to.keep_common(readings_[i], before, to.keeps_order());
}

std::vector<ReadPdu> Bridge::take_sure() {
    std::uint64_t before = ~std::uint64_t{0};
    for (const Reading &r : readings_)
        before = std::min(before, r.sure);
    std::vector<ReadPdu> out;
    if (before <= resume_)
        return out;
    reduce(before);
    if (readings_.front().unlikely >= left_out_)
        return out;
    const auto end_of = [before](Reading &r) {
        return std::find_if(r.pdus.begin(), r.pdus.end(),
                            [before](const ReadPdu &p) { return p.pdu.offset >= before; });
    };
    Reading &likeliest = readings_.front();
    out.assign(likeliest.pdus.begin(), end_of(likeliest));
    for (Reading &r : readings_)
        r.pdus.erase(r.pdus.begin(), end_of(r));
    resume_ = before;
    kept_.drop_before(resume_);
    return out;
}

// A header in the piece, or the first part of one where the piece was cut, that speaks of an open task or has
// the numbers that come next, refutes the readings that have no PDU there. Returns whether any is refuted.
// All parts of a PDU are padded to four bytes (RFC 7143 section 11.1), so that one begins at every fourth
// byte from resume_ on.
bool Bridge::heed_headers(const StreamPiece &piece, std::uint32_t used, const SyncContext &context) {
    const PduDirection direction = readings_.front().framer.direction();
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
        const LedgerState &state = readings_.front().ledger.state();
        if (!plausible_beginning(h, there, direction) ||
            !(continues(state, h, known, direction) || (known == whole_header && context.matches(h))))
            continue;
        const std::uint64_t offset = piece.offset + at;
        for (Reading &r : readings_) {
            r.refuted = r.refuted || std::none_of(r.pdus.rbegin(), r.pdus.rend(), [offset](const ReadPdu &p) {
                            return p.pdu.offset == offset;
                        });
            any = any || r.refuted;
        }
    }
    return any;
}

// The short way of feed(): every reading is inside a data segment that goes on behind the piece. Returns
// false, without effect, if one of them is not.
bool Bridge::pass(const StreamPiece &piece) {
    for (const Reading &r : readings_)
        if (r.waits || !r.framer.passes(piece))
            return false;
    for (Reading &r : readings_)
        r.framer.pass(piece);
    return true;
}

Bridge::State Bridge::feed(const StreamPiece &piece, std::uint32_t used, const Reached &reached,
                           const SyncContext &context) {
    kept_.keep(piece, used, reached);
    if (used == 0 && kept_.count() <= max_pieces && kept_.byte_count() <= max_piece_bytes && pass(piece)) {
        // Nothing that judge() looks at has changed unless a header refutes a reading.
        return heed_headers(piece, used, context) ? judge(!piece.unseen) : State::open;
    }
    for (Reading &r : readings_)
        r.used = used;
    advance_all(piece, reached);
    if (!readings_.empty())
        heed_headers(piece, used, context);
    overflow_ = overflow_ || all_pdus() > max_pdus || kept_.count() > max_pieces ||
                kept_.byte_count() > max_piece_bytes;
    return judge(!piece.unseen);
}

} // namespace iscsiscope
