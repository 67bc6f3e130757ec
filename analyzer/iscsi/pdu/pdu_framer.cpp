// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/pdu/pdu_framer.h"

#include "analyzer/base/crc32c/crc32c.h"
#include "analyzer/iscsi/codec/pdu/plausible.h"

#include <algorithm>

namespace iscsiscope {

namespace {

constexpr std::uint32_t max_kept = 64 * 1024;
// Buffer bytes that a connection keeps allocated between PDUs: enough for sense data and small answers. Login
// texts are larger but rare.
constexpr std::size_t lasting_room = 64;

// Bytes [from, from + count) of a piece that are in the file.
std::span<const std::byte> visible(const StreamPiece &piece, std::uint32_t from, std::uint32_t count) {
    if (from >= piece.bytes.size())
        return {};
    return piece.bytes.subspan(from, std::min<std::size_t>(count, piece.bytes.size() - from));
}

bool known_for(HeaderView h, PduDirection direction) {
    return is_known(h.opcode()) && is_request(h.opcode()) == (direction == PduDirection::to_target);
}

} // namespace

void PduFramer::account(const StreamPiece &piece, std::uint32_t from, std::uint32_t count) {
    if (piece.unseen) {
        pdu_.unseen_bytes += count;
        return;
    }
    const std::uint32_t in_file = from < piece.captured ? std::min(count, piece.captured - from) : 0;
    pdu_.cut_bytes += count - in_file;
    if (piece.first_seen > pdu_.complete ||
        (piece.first_seen == pdu_.complete && piece.frame > pdu_.last_frame)) {
        pdu_.complete = piece.first_seen;
        pdu_.last_frame = piece.frame;
    }
}

PduFramer::Result PduFramer::feed(const StreamPiece &piece, std::uint32_t &used, const Reached &reached,
                                  Output &out) {
    for (;;) {
        if (part_ == Part::data) {
            read_data(piece, used);
            if (filled_ < part_length_)
                return Result::fed;
            begin_data_digest();
            if (part_ == Part::data) {
                finish(reached, out);
                continue;
            }
        }
        if (used == piece.length)
            return Result::fed;
        if (part_ == Part::data_digest) {
            const Result r = read_digest(piece, used);
            if (filled_ < digest_size)
                return Result::fed;
            if (r != Result::fed)
                return r;
            finish(reached, out);
            continue;
        }
        const Result r = read_header(piece, used, reached, out);
        if (r != Result::fed)
            return r;
    }
}

PduFramer::Result PduFramer::read_header(const StreamPiece &piece, std::uint32_t &used,
                                         const Reached &reached, Output &out) {
    if (part_ == Part::header) {
        if (filled_ == 0) {
            const PduDirection direction = pdu_.direction;
            pdu_ = Pdu{};
            pdu_.direction = direction;
            pdu_.in_file = pdu_.known = 0;
            pdu_.offset = piece.offset + used;
            // A PDU whose first bytes nobody saw has begun with what was seen before it at the earliest.
            const bool begun = piece.unseen && reached.frame;
            pdu_.frame = pdu_.last_frame = begun ? *reached.frame : piece.frame;
            pdu_.first_seen = pdu_.complete = begun ? reached.time : piece.first_seen;
            ahs_.clear();
            if (kept_.capacity() > lasting_room)
                kept_ = std::vector<std::byte>(); // clear() would keep the memory
            kept_.clear();
            wanted_ = 0;
        }
        const std::uint32_t count = std::min<std::uint32_t>(
            static_cast<std::uint32_t>(basic_header_size) - filled_, piece.length - used);
        account(piece, used, count);
        const auto bytes = visible(piece, used, count);
        const bool extent_known = take_header(bytes, count);
        used += extent_known ? count : static_cast<std::uint32_t>(bytes.size());
        if (!extent_known)
            return Result::lost;
        return filled_ < basic_header_size ? Result::fed : header_bytes_complete(reached, out);
    }
    if (part_ == Part::ahs) {
        const std::uint32_t count = std::min(part_length_ - filled_, piece.length - used);
        const auto bytes = visible(piece, used, count);
        if (bytes.size() == count && ahs_.size() == filled_)
            ahs_.insert(ahs_.end(), bytes.begin(), bytes.end());
        else
            covered_ = false;
        account(piece, used, count);
        filled_ += count;
        used += count;
        if (filled_ < part_length_)
            return Result::fed;
        crc_ = crc32c(crc_, ahs_);
        filled_ = 0;
        if (in_use_.header != DigestMode::on)
            return header_complete(reached, out);
        part_ = Part::header_digest;
        return Result::fed;
    }
    const Result r = read_digest(piece, used);
    if (filled_ < digest_size)
        return Result::fed;
    return r == Result::fed ? header_complete(reached, out) : r;
}

// The next `count` bytes of the header, of which the file holds the first ones. Returns false if it does not
// hold the bytes that show where the PDU ends.
bool PduFramer::take_header(std::span<const std::byte> in_file, std::uint32_t count) {
    std::copy(in_file.begin(), in_file.end(), pdu_.header.begin() + filled_);
    pdu_.in_file |= ((HeaderMask{1} << in_file.size()) - 1) << filled_;
    pdu_.known = pdu_.in_file;
    header_cut_ = in_file.size() < count && !header_field::extent.in(pdu_.in_file) && !follow_hidden_;
    if (header_cut_) {
        filled_ += static_cast<std::uint32_t>(in_file.size());
        return false;
    }
    filled_ += count;
    return true;
}

// Returns whether this may be a header. One that RFC 7143 forbids is accepted if it stands where a Login PDU
// must stand, if its numbers or tags continue what came before it, or if a header digest will prove it.
bool PduFramer::believable(HeaderView h, Output &out) {
    odd_header_ = unproved_header_ = false;
    if (pdu_.in_file != whole_header)
        return allowed_part(h, pdu_.in_file, pdu_.direction) && out.credible(pdu_);
    if (plausible_header(h, pdu_.direction))
        return true;
    if (login_phase_ && out.certainly_iscsi() && login_phase_header(h, pdu_.direction, pdu_.offset == 0))
        return true;
    if (!known_for(h, pdu_.direction))
        return false;
    odd_header_ = !allowed_header(h, pdu_.direction);
    unproved_header_ = !out.continues(h);
    return !unproved_header_ || header_digest_ == DigestMode::on;
}

PduFramer::Result PduFramer::assume(const HeaderBytes &header, HeaderMask known, const Reached &reached,
                                    Output &out) {
    for (std::size_t i = 0; i < basic_header_size; ++i)
        if ((known >> i & 1) != 0 && (pdu_.in_file >> i & 1) == 0)
            pdu_.header[i] = header[i];
    pdu_.known |= known;
    pdu_.inferred = true;
    odd_header_ = unproved_header_ = false;
    return begin_pdu(reached, out);
}

PduFramer::Result PduFramer::header_bytes_complete(const Reached &reached, Output &out) {
    const HeaderView h = pdu_.view();
    if (!header_field::extent.in(pdu_.in_file))
        return Result::hidden;
    if (!believable(h, out))
        return Result::lost;
    if (login_phase_ && h.opcode() != Opcode::login_request && h.opcode() != Opcode::login_response &&
        h.opcode() != Opcode::reject)
        return Result::lost;
    return begin_pdu(reached, out);
}

// All that is known of the basic header segment is there.
PduFramer::Result PduFramer::begin_pdu(const Reached &reached, Output &out) {
    const HeaderView h = pdu_.view();
    // The digests of this PDU are fixed now, since a login that ends may change those of later PDUs. A Login
    // PDU never has digests (RFC 7143 section 6).
    const bool login = h.opcode() == Opcode::login_request || h.opcode() == Opcode::login_response;
    in_use_ = {login ? DigestMode::off : header_digest_, login ? DigestMode::off : data_digest_};
    pdu_.ahs_length = h.total_ahs_length();
    pdu_.data_length = h.data_segment_length();
    pdu_.end_offset =
        pdu_.offset + h.pdu_length(in_use_.header == DigestMode::on, in_use_.data == DigestMode::on);
    covered_ = pdu_.in_file == whole_header;
    filled_ = 0;
    crc_ = in_use_.header == DigestMode::on ? crc32c(0, pdu_.header) : 0;
    if (pdu_.ahs_length > 0) {
        part_ = Part::ahs;
        part_length_ = pdu_.ahs_length;
        return Result::fed;
    }
    if (in_use_.header == DigestMode::on) {
        part_ = Part::header_digest;
        return Result::fed;
    }
    return header_complete(reached, out);
}

PduFramer::Result PduFramer::header_complete(const Reached &reached, Output &out) {
    if (unproved_header_ && pdu_.header_digest != DigestState::ok)
        return Result::lost;
    pdu_.header_delivered = reached.time;
    pdu_.header_frame = *reached.frame;
    pdu_.ahs = ahs_;
    part_ = Part::data;
    filled_ = 0;
    crc_ = 0;
    covered_ = true;
    part_length_ = pdu_.view().padded_data_segment_length();
    // The login may have ended in the other direction since the first 48 bytes of this header were read.
    if (in_use_.data == DigestMode::unknown)
        in_use_.data = data_digest_;
    if (part_length_ > 0 && in_use_.data == DigestMode::unknown)
        return Result::choose_digest;
    keep(out.header(pdu_));
    return Result::fed;
}

void PduFramer::choose_data_digest(DigestMode use, Output &out) {
    data_digest_ = in_use_.data = use;
    pdu_.end_offset =
        pdu_.offset + pdu_.view().pdu_length(in_use_.header == DigestMode::on, use == DigestMode::on);
    keep(out.header(pdu_));
}

void PduFramer::keep(std::uint32_t bytes) {
    wanted_ = std::min({bytes, pdu_.data_length, max_kept});
}

void PduFramer::read_data(const StreamPiece &piece, std::uint32_t &used) {
    const std::uint32_t count = std::min(part_length_ - filled_, piece.length - used);
    if (count == 0)
        return;
    account(piece, used, count);
    const auto bytes = visible(piece, used, count);
    covered_ = covered_ && bytes.size() == count;
    if (in_use_.data == DigestMode::on && covered_)
        crc_ = crc32c(crc_, bytes);
    if (filled_ < wanted_ && kept_.size() == filled_) {
        const auto part = bytes.first(std::min<std::size_t>(bytes.size(), wanted_ - filled_));
        kept_.insert(kept_.end(), part.begin(), part.end());
    }
    filled_ += count;
    used += count;
}

// The data segment has ended: if it has a digest, starts reading that.
void PduFramer::begin_data_digest() {
    if (part_length_ == 0 || in_use_.data != DigestMode::on)
        return;
    pdu_.end_offset = pdu_.offset + pdu_.view().pdu_length(in_use_.header == DigestMode::on, true);
    part_ = Part::data_digest;
    filled_ = 0;
}

PduFramer::Result PduFramer::read_digest(const StreamPiece &piece, std::uint32_t &used) {
    const std::uint32_t count =
        std::min<std::uint32_t>(static_cast<std::uint32_t>(digest_size) - filled_, piece.length - used);
    const auto bytes = visible(piece, used, count);
    if (bytes.size() == count)
        std::copy(bytes.begin(), bytes.end(), digest_.begin() + filled_);
    else
        covered_ = false;
    account(piece, used, count);
    filled_ += count;
    used += count;
    if (filled_ < digest_size)
        return Result::fed;
    DigestState &state = part_ == Part::header_digest ? pdu_.header_digest : pdu_.data_digest;
    if (!covered_) {
        state = DigestState::unknown;
        return Result::fed;
    }
    if (load_digest(digest_) == crc_) {
        state = DigestState::ok;
        return Result::fed;
    }
    state = DigestState::bad;
    pdu_.computed_digest = crc_;
    return strict_ ? Result::digest_mismatch : Result::fed;
}

void PduFramer::finish(const Reached &reached, Output &out) {
    pdu_.end_offset = pdu_.offset + pdu_.view().pdu_length(in_use_.header == DigestMode::on,
                                                           in_use_.data == DigestMode::on);
    pdu_.delivered = reached.time;
    pdu_.delivered_frame = *reached.frame;
    pdu_.ahs = ahs_;
    pdu_.data =
        std::span<const std::byte>(kept_).first(std::min<std::size_t>(kept_.size(), pdu_.data_length));
    part_ = Part::header;
    filled_ = 0;
    out.pdu(pdu_);
}

std::uint64_t PduFramer::content_needed_from(std::uint64_t next) const {
    if (part_ != Part::data || in_use_.data == DigestMode::on || kept_.size() < wanted_)
        return next;
    return next + (part_length_ - filled_);
}

} // namespace iscsiscope
