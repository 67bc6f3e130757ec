// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/pdu/pdu_under_way.h"

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

std::uint64_t end_with(const Pdu &pdu, DigestModes digests) {
    return pdu.offset +
           pdu.view().pdu_length(digests.header == DigestMode::on, digests.data == DigestMode::on);
}

} // namespace

void count_bytes(Pdu &pdu, const StreamPiece &piece, std::uint32_t from, std::uint32_t count) {
    if (piece.unseen) {
        pdu.unseen_bytes += count;
        return;
    }
    const std::uint32_t in_file = from < piece.captured ? std::min(count, piece.captured - from) : 0;
    pdu.cut_bytes += count - in_file;
    if (piece.first_seen > pdu.complete ||
        (piece.first_seen == pdu.complete && piece.frame > pdu.last_frame)) {
        pdu.complete = piece.first_seen;
        pdu.last_frame = piece.frame;
    }
}

void PduUnderWay::begin(const StreamPiece &piece, std::uint32_t used, const Reached &reached) {
    const PduDirection direction = pdu_.direction;
    pdu_ = Pdu{};
    pdu_.direction = direction;
    pdu_.in_file = pdu_.known = 0;
    pdu_.offset = piece.offset + used;
    // A PDU whose first bytes nobody saw has begun with what was seen before it at the earliest.
    const bool begun = piece.unseen && reached.frame;
    pdu_.begins_unseen = begun;
    pdu_.frame = pdu_.last_frame = begun ? *reached.frame : piece.frame;
    pdu_.first_seen = pdu_.complete = begun ? reached.time : piece.first_seen;
    ahs_.clear();
    if (kept_.capacity() > lasting_room)
        kept_ = std::vector<std::byte>(); // clear() would keep the memory
    kept_.clear();
    wanted_ = 0;
}

PduUnderWay::Header PduUnderWay::take_header(const StreamPiece &piece, std::uint32_t &used,
                                             bool follow_hidden) {
    const std::uint32_t count =
        std::min<std::uint32_t>(static_cast<std::uint32_t>(basic_header_size) - filled_, piece.length - used);
    count_bytes(pdu_, piece, used, count);
    const auto in_file = visible(piece, used, count);
    std::copy(in_file.begin(), in_file.end(), pdu_.header.begin() + filled_);
    pdu_.in_file |= ((HeaderMask{1} << in_file.size()) - 1) << filled_;
    pdu_.known = pdu_.in_file;
    const bool cut = in_file.size() < count && !header_field::extent.in(pdu_.in_file) && !follow_hidden;
    const std::uint32_t passed = cut ? static_cast<std::uint32_t>(in_file.size()) : count;
    filled_ += passed;
    used += passed;
    if (cut)
        return Header::cut;
    return filled_ < basic_header_size ? Header::part : Header::whole;
}

void PduUnderWay::assume(const HeaderBytes &header, HeaderMask known) {
    for (std::size_t i = 0; i < basic_header_size; ++i)
        if ((known >> i & 1) != 0 && (pdu_.in_file >> i & 1) == 0)
            pdu_.header[i] = header[i];
    pdu_.known |= known;
    pdu_.inferred = true;
}

bool PduUnderWay::begin_parts(DigestModes digests) {
    const HeaderView h = pdu_.view();
    // The digests of this PDU are fixed now, since a login that ends may change those of later PDUs. A Login
    // PDU never has digests (RFC 7143 section 6).
    const bool login = h.opcode() == Opcode::login_request || h.opcode() == Opcode::login_response;
    in_use_ = login ? DigestModes{} : digests;
    pdu_.ahs_length = h.total_ahs_length();
    pdu_.data_length = h.data_segment_length();
    pdu_.end_offset = end_with(pdu_, in_use_);
    covered_ = pdu_.in_file == whole_header;
    filled_ = 0;
    digest_.begin();
    if (in_use_.header == DigestMode::on)
        digest_.cover(pdu_.header);
    if (pdu_.ahs_length > 0) {
        part_ = Part::ahs;
        part_length_ = pdu_.ahs_length;
        return false;
    }
    if (in_use_.header == DigestMode::on) {
        part_ = Part::header_digest;
        return false;
    }
    return true;
}

bool PduUnderWay::take_ahs(const StreamPiece &piece, std::uint32_t &used) {
    const std::uint32_t count = std::min(part_length_ - filled_, piece.length - used);
    const auto bytes = visible(piece, used, count);
    if (bytes.size() == count && ahs_.size() == filled_)
        ahs_.insert(ahs_.end(), bytes.begin(), bytes.end());
    else
        covered_ = false;
    count_bytes(pdu_, piece, used, count);
    filled_ += count;
    used += count;
    if (filled_ < part_length_)
        return false;
    digest_.cover(ahs_);
    filled_ = 0;
    if (in_use_.header == DigestMode::on)
        part_ = Part::header_digest;
    return true;
}

bool PduUnderWay::take_digest(const StreamPiece &piece, std::uint32_t &used) {
    const std::uint32_t count =
        std::min<std::uint32_t>(static_cast<std::uint32_t>(digest_size) - filled_, piece.length - used);
    const auto bytes = visible(piece, used, count);
    if (bytes.size() == count)
        digest_.take(filled_, bytes);
    else
        covered_ = false;
    count_bytes(pdu_, piece, used, count);
    filled_ += count;
    used += count;
    if (filled_ < digest_size)
        return false;
    DigestState &state = part_ == Part::header_digest ? pdu_.header_digest : pdu_.data_digest;
    if (!covered_) {
        state = DigestState::unknown;
    } else if (digest_.matches()) {
        state = DigestState::ok;
    } else {
        state = DigestState::bad;
        pdu_.computed_digest = digest_.computed();
    }
    return true;
}

bool PduUnderWay::begin_data(const Reached &reached, DigestMode data_digest) {
    pdu_.header_delivered = reached.time;
    pdu_.header_frame = *reached.frame;
    pdu_.ahs = ahs_;
    part_ = Part::data;
    filled_ = 0;
    digest_.begin();
    covered_ = true;
    part_length_ = pdu_.view().padded_data_segment_length();
    // The login may have ended in the other direction since the first 48 bytes of this header were read.
    if (in_use_.data == DigestMode::unknown)
        in_use_.data = data_digest;
    return part_length_ == 0 || in_use_.data != DigestMode::unknown;
}

void PduUnderWay::set_data_digest(DigestMode use) {
    in_use_.data = use;
    pdu_.end_offset = end_with(pdu_, in_use_);
}

void PduUnderWay::keep(std::uint32_t bytes) {
    wanted_ = std::min({bytes, pdu_.data_length, max_kept});
}

bool PduUnderWay::take_data(const StreamPiece &piece, std::uint32_t &used) {
    const std::uint32_t count = std::min(part_length_ - filled_, piece.length - used);
    if (count > 0) {
        count_bytes(pdu_, piece, used, count);
        const auto bytes = visible(piece, used, count);
        covered_ = covered_ && bytes.size() == count;
        if (in_use_.data == DigestMode::on && covered_)
            digest_.cover(bytes);
        if (filled_ < wanted_ && kept_.size() == filled_) {
            const auto part = bytes.first(std::min<std::size_t>(bytes.size(), wanted_ - filled_));
            kept_.insert(kept_.end(), part.begin(), part.end());
        }
        filled_ += count;
        used += count;
    }
    if (filled_ < part_length_)
        return false;
    if (part_length_ > 0 && in_use_.data == DigestMode::on) {
        pdu_.end_offset = end_with(pdu_, in_use_);
        part_ = Part::data_digest;
        filled_ = 0;
    }
    return true;
}

void PduUnderWay::finish(const Reached &reached) {
    pdu_.end_offset = end_with(pdu_, in_use_);
    pdu_.delivered = reached.time;
    pdu_.delivered_frame = *reached.frame;
    pdu_.ahs = ahs_;
    pdu_.data =
        std::span<const std::byte>(kept_).first(std::min<std::size_t>(kept_.size(), pdu_.data_length));
    part_ = Part::header;
    filled_ = 0;
}

} // namespace iscsiscope
