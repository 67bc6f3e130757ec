// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/readings.h"

#include "analyzer/iscsi/expectation/forecast.h"

#include <algorithm>

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
constexpr std::size_t max_pdus = 8192; // of all readings

} // namespace

Readings::Readings(const PduFramer &framer, const TaskLedger &ledger)
    : to_target_(framer.direction() == PduDirection::to_target) {
    readings_.emplace_back(framer, ledger);
    readings_.front().framer.rules().follow_hidden = true;
}

Withheld Readings::withheld() const {
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

// Reads on to the end of the piece, or to a header of which the extent is not in the file.
void Readings::advance(Reading &r, const StreamPiece &piece, const Reached &reached) {
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
void Readings::advance(const StreamPiece &piece, std::uint32_t used, const Reached &reached) {
    for (Reading &r : readings_) {
        r.used = used;
        advance(r, piece, reached);
    }
    while (!too_many_pdus_) {
        drop_refuted();
        const auto behind =
            std::min_element(readings_.begin(), readings_.end(), [](const Reading &a, const Reading &b) {
                return a.waits > b.waits ||
                       (a.waits == b.waits && a.framer.pdu().offset < b.framer.pdu().offset);
            });
        if (behind == readings_.end() || !behind->waits)
            break;
        const std::uint64_t offset = behind->framer.pdu().offset;
        merge_waiting(offset);
        const std::size_t count = readings_.size();
        for (std::size_t i = 0; i < count && !too_many_pdus_; ++i)
            if (readings_[i].waits && !readings_[i].refuted && readings_[i].framer.pdu().offset == offset)
                fork(i, piece, reached);
    }
    count_pdus();
}

// Of the readings that wait at an offset, makes one of those that are in the same state.
void Readings::merge_waiting(std::uint64_t offset) {
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
void Readings::fork(std::size_t reading, const StreamPiece &piece, const Reached &reached) {
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
    count_pdus();
}

void Readings::count_pdus() {
    std::size_t pdus = 0;
    for (const Reading &r : readings_)
        pdus += r.pdus.size();
    too_many_pdus_ = too_many_pdus_ || pdus > max_pdus;
}

// With too many readings, gives up the unlikeliest ones.
void Readings::leave_out() {
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

void Readings::drop_refuted() {
    std::erase_if(
        readings_, [](const Reading &r) { return r.refuted; });
}

void Readings::drop_outdone() {
    std::uint64_t anchor = 0;
    for (const Reading &r : readings_)
        anchor = std::max(anchor, r.anchor);
    std::erase_if(readings_, [&](const Reading &r) { return r.anchor < anchor; });
    if (to_target_)
        leave_out_unlikely();
}

// Gives up readings that are much unlikelier than the likeliest one.
void Readings::leave_out_unlikely() {
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

void Readings::reduce(std::uint64_t before) {
    std::stable_sort(readings_.begin(), readings_.end(),
                     [](const Reading &a, const Reading &b) { return a.unlikely < b.unlikely; });
    Reading &to = readings_.front();
    for (std::size_t i = 1; i < readings_.size(); ++i)
        to.keep_common(readings_[i], before, to.keeps_order());
}

bool Readings::pass(const StreamPiece &piece) {
    if (readings_.empty()) // what refuted the last one was noted while PDUs were delivered
        return false;
    for (const Reading &r : readings_)
        if (r.waits || !r.framer.passes(piece))
            return false;
    for (Reading &r : readings_)
        r.framer.pass(piece);
    return true;
}

std::vector<ReadPdu> Readings::take(std::uint64_t before) {
    const auto end_of = [before](Reading &r) {
        return std::find_if(r.pdus.begin(), r.pdus.end(),
                            [before](const ReadPdu &p) { return p.pdu.offset >= before; });
    };
    Reading &first = readings_.front();
    std::vector<ReadPdu> out(first.pdus.begin(), end_of(first));
    for (Reading &r : readings_)
        r.pdus.erase(r.pdus.begin(), end_of(r));
    return out;
}

} // namespace iscsiscope
