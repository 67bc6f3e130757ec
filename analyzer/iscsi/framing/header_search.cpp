// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/header_search.h"

#include "analyzer/iscsi/codec/pdu/plausible.h"

#include <algorithm>
#include <cstring>

namespace iscsiscope {

namespace {

constexpr std::size_t max_trials = 48;
constexpr std::size_t max_shelved = 32;
// Data bytes kept by a reading, whose headers the sink sees only later: enough for sense and small answers.
constexpr std::uint32_t trial_keeps = 512;

bool is_login(HeaderView h) {
    return h.opcode() == Opcode::login_request || h.opcode() == Opcode::login_response;
}

// True if the bytes begin like the text of a Login PDU: a key of letters, starting with a capital, and '='.
bool is_login_text(std::span<const std::byte> data) {
    const auto equals = std::find(data.begin(), data.end(), std::byte{'='});
    const auto letter = [](std::byte b) {
        const auto c = std::to_integer<unsigned char>(b) | 0x20;
        return c >= 'a' && c <= 'z';
    };
    return equals != data.end() && equals != data.begin() && letter(data.front());
}

PduDirection direction_of(HeaderView h) {
    return is_request(h.opcode()) ? PduDirection::to_target : PduDirection::to_initiator;
}

} // namespace

std::uint32_t HeaderSearch::Trial::header(Pdu &pdu) {
    pdus.push_back({.pdu = pdu, .complete = false, .data = {}, .ahs = {pdu.ahs.begin(), pdu.ahs.end()}});
    if (pdu.header_digest == DigestState::ok) {
        proved = true;
        framer.rules().strict = false; // from now on a digest that does not match is a transmission error
    }
    return std::min(pdu.data_length, trial_keeps);
}

void HeaderSearch::Trial::pdu(const Pdu &pdu) {
    ReadPdu &t = pdus.back();
    t.pdu = pdu;
    t.complete = true;
    t.data.assign(pdu.data.begin(), pdu.data.end());
    proved = proved || pdu.data_digest == DigestState::ok ||
             (framer.rules().login_phase && is_login_text(pdu.data));
}

bool HeaderSearch::confirmed(const Trial &trial) const {
    if (trial.dead)
        return false;
    if (trial.stop == Trial::Stop::choice)
        return true;
    if (trial.pdus.empty())
        return false;
    if (trial.proved || trial.pdus.size() > settings_.confirmations)
        return true;
    // Sequence numbers prove that bytes are a header, but not whether digests follow it.
    if (settings_.header_digest == DigestMode::unknown || settings_.data_digest == DigestMode::unknown)
        return false;
    return settings_.context->matches(trial.pdus.front().pdu);
}

void HeaderSearch::fork(const PduFramer &framer) {
    for (DigestMode use : {DigestMode::off, DigestMode::on}) {
        Trial trial{framer};
        trial.start_certain = true;
        trial.framer.choose_data_digest(use, trial);
        trial.framer.rules().strict = true;
        trial.proved = false; // a header digest does not prove the use of data digests
        trials_.push_back(std::move(trial));
    }
}

void HeaderSearch::begin_with(std::span<const std::byte> bytes, std::uint64_t at, const Reached &first,
                              const Reached &latest, bool start_certain) {
    if (start_certain)
        certain_start_ = at;
    if (bytes.empty())
        return;
    tail_.add(at, first.time, *first.frame, bytes.first(1));
    if (bytes.size() > 1)
        tail_.add(at + 1, latest.time, *latest.frame, bytes.subspan(1));
}

// Feeds one trial. If the use of data digests is undecided the trial forks, and both readings continue.
void HeaderSearch::advance(std::size_t trial, const StreamPiece &piece, std::uint32_t used,
                           const Reached &reached) {
    Trial &t = trials_[trial];
    const auto result = t.framer.feed(piece, used, reached, t);
    if (result == PduFramer::Result::fed)
        return;
    t.stopped_at = used;
    if (result == PduFramer::Result::lost) {
        t.stop = Trial::Stop::lost;
        t.dead = !confirmed(t);
        if (t.dead)
            shelve(t);
        return;
    }
    if (result == PduFramer::Result::choose_digest &&
        (t.framer.pdu().header_digest == DigestState::ok || t.pdus.size() >= settings_.confirmations)) {
        t.stop = Trial::Stop::choice; // this header confirms those before it
        return;
    }
    if (result == PduFramer::Result::digest_mismatch || trials_.size() >= max_trials) {
        t.dead = true;
        return;
    }
    Trial with = t;
    t.framer.choose_data_digest(DigestMode::off, t);
    with.framer.choose_data_digest(DigestMode::on, with);
    trials_.push_back(std::move(with)); // t is not valid from here on
    advance(trials_.size() - 1, piece, used, reached);
    advance(trial, piece, used, reached);
}

HeaderSearch::Trial *HeaderSearch::feed_trials(const StreamPiece &piece, std::uint32_t used,
                                               const Reached &reached, std::size_t from) {
    const std::size_t count = trials_.size();
    for (std::size_t i = from; i < count; ++i)
        advance(i, piece, used, reached);
    Trial *best = nullptr;
    for (std::size_t i = from; i < trials_.size(); ++i) {
        Trial &t = trials_[i];
        // Of several confirmed readings the one proved by a digest is right, otherwise the earliest.
        if (confirmed(t) && (!best || (t.proved && !best->proved)))
            best = &t;
    }
    return best;
}

void HeaderSearch::drop_dead() {
    std::erase_if(
        trials_, [](const Trial &t) { return t.dead; });
}

HeaderSearch::Trial *HeaderSearch::feed(const StreamPiece &piece, std::uint32_t used,
                                        const Reached &reached) {
    if (Trial *t = feed_trials(piece, used, reached, 0))
        return t;
    drop_dead();
    searched_ += piece.length - used;
    if (piece.unseen || used >= piece.bytes.size()) {
        tail_.clear();
        return nullptr;
    }
    tail_.drop_unless_at(piece.offset + used);

    // The captured bytes searched: the tail of the pieces before, then this piece.
    const std::vector<std::byte> head = tail_.bytes();
    const std::uint64_t head_offset = piece.offset + used - head.size();
    const auto bytes = piece.bytes.subspan(used);
    const std::size_t total = head.size() + bytes.size();
    // The file may hold the first part of a header only. What it must show is the first 24 bytes: the extent
    // and the tags, or the length that a command expects.
    const bool cut = piece.bytes.size() < piece.length;
    const std::size_t least = cut ? partial_header : basic_header_size;
    const auto begins = [this](std::byte first) {
        return settings_.direction ? may_begin(first, *settings_.direction)
                                   : may_begin(first, PduDirection::to_target) ||
                                         may_begin(first, PduDirection::to_initiator);
    };
    HeaderBytes window;
    const bool aligned = settings_.boundary && searched_ <= aligned_bytes;
    const std::size_t step = aligned ? 4 : 1;
    const std::size_t first_at = aligned ? (*settings_.boundary - head_offset) & 3 : 0;
    for (std::size_t at = first_at; at + least <= total; at += step) {
        if (!begins(at < head.size() ? head[at] : bytes[at - head.size()]))
            continue;
        const std::byte *p;
        const std::size_t there = std::min(basic_header_size, total - at);
        if (there < basic_header_size) {
            window = {};
            for (std::size_t i = 0; i < there; ++i)
                window[i] = at + i < head.size() ? head[at + i] : bytes[at + i - head.size()];
            p = window.data();
        } else if (at >= head.size()) {
            p = bytes.data() + (at - head.size());
        } else {
            const std::size_t first = std::min(basic_header_size, head.size() - at);
            std::memcpy(window.data(), head.data() + at, first);
            std::memcpy(window.data() + first, bytes.data(), basic_header_size - first);
            p = window.data();
        }
        const HeaderView h{std::span<const std::byte, basic_header_size>(p, basic_header_size)};
        if (!plausible_beginning(h, there, direction_of(h)))
            continue;
        HeaderBytes header;
        std::memcpy(header.data(), p, basic_header_size);
        if (there == basic_header_size)
            vote(head_offset + at, h);
        const std::size_t before = trials_.size();
        try_at(head_offset + at, header, piece, used, reached);
        for (std::size_t i = before; i < trials_.size(); ++i)
            if (confirmed(trials_[i]))
                return &trials_[i];
        drop_dead();
    }
    tail_.keep(piece, used);
    return nullptr;
}

// Which digests are in use may follow from where headers are found.
void HeaderSearch::vote(std::uint64_t offset, HeaderView h) {
    if ((settings_.header_digest != DigestMode::unknown && settings_.data_digest != DigestMode::unknown) ||
        !settings_.direction || !settings_.context->matches(h))
        return;
    if (const auto found = votes_.note(offset, h, settings_.header_digest))
        settle(found->header, found->data);
}

// Starts the readings of a header found at this offset and feeds them to the end of the piece.
void HeaderSearch::try_at(std::uint64_t offset, const HeaderBytes &header, const StreamPiece &piece,
                          std::uint32_t used, const Reached &reached) {
    const PduDirection direction = direction_of(HeaderView{header});
    // Login PDUs have no digests, and do not determine those of the PDUs that follow.
    const bool login = is_login(HeaderView{header});
    if (login && settings_.header_digest != DigestMode::unknown)
        return; // the login phase is over
    for (DigestMode use : {DigestMode::on, DigestMode::off}) {
        if (login ? use == DigestMode::on
                  : settings_.header_digest != DigestMode::unknown && settings_.header_digest != use)
            continue;
        if (trials_.size() >= max_trials)
            trials_.erase(trials_.begin());
        Trial trial{PduFramer{direction, use, login ? DigestMode::off : settings_.data_digest, true}};
        trial.framer.rules().login_phase = login;
        trial.start_certain = certain_start_ == offset;
        trials_.push_back(std::move(trial));
        const std::size_t index = trials_.size() - 1;
        tail_.for_each_behind(offset, [&](const StreamPiece &earlier) {
            const auto skip =
                static_cast<std::uint32_t>(offset > earlier.offset ? offset - earlier.offset : 0);
            advance(index, earlier, skip, reached);
        });
        const std::uint64_t here = piece.offset + used;
        advance(index, piece, offset > here ? static_cast<std::uint32_t>(offset - piece.offset) : used,
                reached);
    }
}

void HeaderSearch::settle(PduDirection direction) {
    settings_.direction = direction;
    const auto other_way = [&](const Trial &t) { return t.framer.direction() != direction; };
    std::erase_if(trials_, other_way);
    std::erase_if(shelf_, other_way);
}

void HeaderSearch::settle(DigestMode header, DigestMode data) {
    const auto contradicts = [](DigestMode known, DigestMode assumed) {
        return known != DigestMode::unknown && assumed != DigestMode::unknown && known != assumed;
    };
    if (header != DigestMode::unknown)
        settings_.header_digest = header;
    if (data != DigestMode::unknown)
        settings_.data_digest = data;
    for (Trial &t : trials_) {
        if (t.framer.rules().login_phase)
            continue;
        t.dead = t.dead || contradicts(header, t.framer.rules().digests.header) ||
                 contradicts(data, t.framer.rules().digests.data);
        if (t.framer.rules().digests.data == DigestMode::unknown)
            t.framer.rules().digests.data = data;
    }
}

void HeaderSearch::shelve(Trial &t) {
    while (!t.pdus.empty() && !t.pdus.back().complete)
        t.pdus.pop_back();
    if (t.pdus.empty() || shelf_.size() >= max_shelved)
        return;
    shelf_.push_back(t);
    shelf_.back().dead = false;
}

void HeaderSearch::shelve_all() {
    for (Trial &t : trials_)
        if (!t.dead)
            shelve(t);
    trials_.clear();
}

std::vector<HeaderBytes> HeaderSearch::unproved() const {
    std::vector<HeaderBytes> out;
    for (const auto *list : {&shelf_, &trials_}) {
        for (const Trial &t : *list)
            if (!t.dead && !t.pdus.empty() && t.pdus.front().pdu.in_file == whole_header)
                out.push_back(t.pdus.front().pdu.header);
    }
    return out;
}

bool HeaderSearch::continues(const Trial &trial) const {
    return std::all_of(
        trial.pdus.begin(), trial.pdus.end(),
        [&](const ReadPdu &p) { return settings_.context->matches(p.pdu); });
}

std::optional<PduDirection> HeaderSearch::proved_direction() const {
    for (const Trial &t : shelf_)
        if (continues(t))
            return t.framer.direction();
    return std::nullopt;
}

std::vector<HeaderSearch::Trial> HeaderSearch::shelved(PduDirection direction, DigestMode header,
                                                       DigestMode data, std::uint64_t before) {
    std::vector<Trial> out;
    std::sort(shelf_.begin(), shelf_.end(), [](const Trial &a, const Trial &b) {
        return a.pdus.front().pdu.offset < b.pdus.front().pdu.offset;
    });
    std::uint64_t end = 0;
    for (Trial &t : shelf_) {
        const bool right_digests =
            (t.framer.rules().digests.header == header || header == DigestMode::unknown) &&
            (t.framer.rules().digests.data == data || data == DigestMode::unknown);
        if (!right_digests || t.framer.direction() != direction || !continues(t) ||
            t.pdus.front().pdu.offset < end || t.pdus.back().pdu.end_offset > before)
            continue;
        end = t.pdus.back().pdu.end_offset;
        out.push_back(std::move(t));
    }
    shelf_.clear();
    return out;
}

HeaderSearch::Trial *HeaderSearch::conclude(std::uint64_t end_offset) {
    Trial *only = nullptr;
    for (Trial &t : trials_) {
        // Either a PDU was known to begin there, or several headers in a row have been read.
        const bool even =
            t.framer.at_boundary() && !t.pdus.empty() && t.pdus.back().pdu.end_offset == end_offset;
        if (t.dead || !even || !(t.start_certain || t.pdus.size() > 1))
            continue;
        if (only)
            return nullptr;
        only = &t;
    }
    return only;
}

} // namespace iscsiscope
