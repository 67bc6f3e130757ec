// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/pdu/pdu_framer.h"

#include "analyzer/iscsi/codec/pdu/plausible.h"

namespace iscsiscope {

namespace {

bool known_for(HeaderView h, PduDirection direction) {
    return is_known(h.opcode()) && is_request(h.opcode()) == (direction == PduDirection::to_target);
}

struct HeaderVerdict {
    bool believable = false;
    bool odd = false;      // RFC 7143 forbids it
    bool unproved = false; // it is accepted only if its digest matches
};

// Judges whether this may be a header. One that RFC 7143 forbids is accepted if it stands where a Login PDU
// must stand, if its numbers or tags continue what came before it, or if a header digest will prove it.
HeaderVerdict verdict_on(const Pdu &pdu, const FramingRules &rules, PduFramer::Output &out) {
    const HeaderView h = pdu.view();
    if (pdu.in_file != whole_header)
        return {.believable = allowed_part(h, pdu.in_file, pdu.direction) && out.credible(pdu)};
    if (plausible_header(h, pdu.direction))
        return {.believable = true};
    if (rules.login_phase && out.certainly_iscsi() && login_phase_header(h, pdu.direction, pdu.offset == 0))
        return {.believable = true};
    if (!known_for(h, pdu.direction))
        return {};
    HeaderVerdict verdict{.odd = !allowed_header(h, pdu.direction), .unproved = !out.continues(h)};
    verdict.believable = !verdict.unproved || rules.digests.header == DigestMode::on;
    return verdict;
}

} // namespace

PduFramer::Result PduFramer::feed(const StreamPiece &piece, std::uint32_t &used, const Reached &reached,
                                  Output &out) {
    for (;;) {
        if (current_.part() == Part::data) {
            if (!current_.take_data(piece, used))
                return Result::fed;
            if (current_.part() == Part::data) {
                current_.finish(reached);
                out.pdu(current_.pdu());
                continue;
            }
        }
        if (used == piece.length)
            return Result::fed;
        if (current_.part() == Part::data_digest) {
            if (!current_.take_digest(piece, used))
                return Result::fed;
            if (rules_.strict && pdu().data_digest == DigestState::bad)
                return Result::digest_mismatch;
            current_.finish(reached);
            out.pdu(current_.pdu());
            continue;
        }
        const Result r = read_header(piece, used, reached, out);
        if (r != Result::fed)
            return r;
    }
}

PduFramer::Result PduFramer::read_header(const StreamPiece &piece, std::uint32_t &used,
                                         const Reached &reached, Output &out) {
    if (current_.part() == Part::header) {
        if (current_.at_boundary())
            current_.begin(piece, used, reached);
        const PduUnderWay::Header taken = current_.take_header(piece, used, rules_.follow_hidden);
        header_cut_ = taken == PduUnderWay::Header::cut;
        if (header_cut_)
            return Result::lost;
        return taken == PduUnderWay::Header::part ? Result::fed : judge_header(reached, out);
    }
    if (current_.part() == Part::ahs) {
        if (!current_.take_ahs(piece, used) || current_.part() == Part::header_digest)
            return Result::fed;
        return header_complete(reached, out);
    }
    if (!current_.take_digest(piece, used))
        return Result::fed;
    if (rules_.strict && pdu().header_digest == DigestState::bad)
        return Result::digest_mismatch;
    return header_complete(reached, out);
}

// The bytes of the basic header segment are passed.
PduFramer::Result PduFramer::judge_header(const Reached &reached, Output &out) {
    const HeaderView h = pdu().view();
    if (!header_field::extent.in(pdu().in_file))
        return Result::hidden;
    const HeaderVerdict verdict = verdict_on(pdu(), rules_, out);
    odd_header_ = verdict.odd;
    unproved_header_ = verdict.unproved;
    if (!verdict.believable)
        return Result::lost;
    if (rules_.login_phase && h.opcode() != Opcode::login_request && h.opcode() != Opcode::login_response &&
        h.opcode() != Opcode::reject)
        return Result::lost;
    return current_.begin_parts(rules_.digests) ? header_complete(reached, out) : Result::fed;
}

PduFramer::Result PduFramer::assume(const HeaderBytes &header, HeaderMask known, const Reached &reached,
                                    Output &out) {
    current_.assume(header, known);
    odd_header_ = unproved_header_ = false;
    return current_.begin_parts(rules_.digests) ? header_complete(reached, out) : Result::fed;
}

PduFramer::Result PduFramer::header_complete(const Reached &reached, Output &out) {
    if (unproved_header_ && pdu().header_digest != DigestState::ok)
        return Result::lost;
    if (!current_.begin_data(reached, rules_.digests.data))
        return Result::choose_digest;
    keep(out.header(current_.pdu()));
    return Result::fed;
}

void PduFramer::choose_data_digest(DigestMode use, Output &out) {
    rules_.digests.data = use;
    current_.set_data_digest(use);
    keep(out.header(current_.pdu()));
}

} // namespace iscsiscope
