// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/black_hole.h"

#include "analyzer/tcp/diagnosis/direction_diagnosis.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// Repeats of a segment, none acknowledged, after which its size counts as black-holed by the path.
constexpr unsigned black_hole_repeats = 3;
// A sender whose repeats do not pass the tap has sent at least two within this time (RFC 6298 section 2: the
// first timeout is one second at most, and Linux' least one 200 ms).
constexpr Duration several_timeouts = 1s;

bool selectively_acked(const SackBoard &board, std::uint64_t from, std::uint64_t to) {
    return std::any_of(
        board.ranges().begin(), board.ranges().end(),
        [&](const SackBoard::Range &r) { return r.begin <= from && to <= r.end; });
}

} // namespace

SizesAtLoss sizes_at_loss(SentLog &sent, const SackBoard &board, std::uint64_t from, std::uint64_t end,
                          std::uint32_t full_segment, Time until) {
    SizesAtLoss sizes;
    // Calls each(begin, length) for the packets of [begin, to).
    const auto packets = [&](std::uint64_t begin, std::uint64_t to, auto each) {
        for (; begin < to; begin += full_segment)
            each(begin, static_cast<std::uint32_t>(std::min<std::uint64_t>(to - begin, full_segment)));
    };
    const auto lose = [&](std::uint64_t, std::uint32_t length) {
        sizes.smallest_lost = sizes.lost++ == 0 ? length : std::min(sizes.smallest_lost, length);
    };
    std::uint64_t known_to = from;
    sent.visit(from, end, [&](const SentLog::Sent &e) {
        if (e.begin > known_to)
            packets(known_to, e.begin, lose);
        known_to = std::max(known_to, e.end());
        packets(e.begin, e.end(), [&](std::uint64_t begin, std::uint32_t length) {
            if (selectively_acked(board, begin, begin + length))
                sizes.largest_passed = std::max(sizes.largest_passed, length);
            else if (e.first <= until)
                lose(begin, length);
        });
    });
    return sizes;
}

void DirectionDiagnosis::found_black_hole(std::uint32_t lost, std::uint32_t passed, FrameNumber frame) {
    TcpDirectionTroubles &t = troubles();
    if (!t.smallest_black_holed || lost < *t.smallest_black_holed)
        t.smallest_black_holed = lost;
    t.passed_black_hole = std::max(t.passed_black_hole, passed);
    if (t.black_holed_repeats++ == 0)
        t.black_hole_frame = frame;
}

// A size larger than any ever acknowledged, repeated without an answer. A repeat in smaller packets than
// before says nothing about its own size yet.
void DirectionDiagnosis::note_black_hole(const SentLog::Sent &e, std::uint32_t length, FrameNumber frame) {
    if (length < std::min(e.length, figures_.full_segment))
        return;
    if (e.repeats >= black_hole_repeats && length > figures_.largest_acked_segment)
        found_black_hole(length, figures_.largest_acked_segment, frame);
}

// Returns the payload of the packet that ended at the offset and was still on its way when the bytes behind
// it were first sent; 0: none was.
std::uint32_t DirectionDiagnosis::passed_before(std::uint64_t offset, Time first) {
    const SentLog::Sent *before = offset > 0 ? sent_.holding(offset - 1) : nullptr;
    if (before == nullptr || before->end() != offset || !acked_at_ || *acked_at_ < first)
        return 0;
    const std::uint32_t rest = before->length % figures_.full_segment;
    return rest != 0 ? rest : figures_.full_segment;
}

// The oldest bytes pass again and again: compares the sizes that arrive meanwhile with those that do not.
void DirectionDiagnosis::compare_sizes(const SegmentReport &r, std::uint64_t acked) {
    const std::uint32_t full = figures_.full_segment;
    const SentLog::Sent *oldest = sent_.holding(r.offset);
    if (full == 0 || r.offset != acked || oldest == nullptr || oldest->repeats < black_hole_repeats)
        return;
    SizesAtLoss sizes = sizes_at_loss(sent_, board_, acked, high_end_, full, r.segment->time - least_timeout);
    // Without a selective ACK: only full segments were lost, behind a smaller one that was under way with
    // them.
    if (sizes.largest_passed == 0 && sizes.lost >= 2 && sizes.smallest_lost == full)
        sizes.largest_passed = passed_before(acked, oldest->first);
    if (sizes.black_hole())
        found_black_hole(sizes.smallest_lost, sizes.largest_passed, r.segment->frame);
    // A repeat in smaller packets: if it arrives, the sender has found a smaller MTU (RFC 4821). That is no
    // proof after an outage of every size, so that everything lost must have been larger.
    if (size_traces_)
        size_traces_->shortened = {};
    if (const std::uint32_t now = r.segment->payload_length;
        sizes.only_large_lost() && now < sizes.smallest_lost)
        made(size_traces_).shortened = {r.offset + now, r.segment->frame, now, sizes.smallest_lost};
}

// The cumulative ACK has advanced: a repeat in smaller packets has arrived.
void DirectionDiagnosis::note_shortened(std::uint64_t acked) {
    if (!size_traces_)
        return;
    const auto repeat = std::exchange(size_traces_->shortened, {});
    if (repeat.length != 0 && acked >= repeat.end)
        found_black_hole(repeat.lost, repeat.length, repeat.frame);
}

// The oldest bytes pass for the first time after a long silence: the originals and the first repeats were
// lost before the tap. Segments behind them tell their size: holes of whole full segments between smaller
// ones that arrived.
void DirectionDiagnosis::compare_unseen_sizes(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    const std::uint32_t full = figures_.full_segment;
    const std::uint64_t acked = c.end(sender_).acked_offset;
    if (full == 0)
        return;
    if (r.offset == acked && silence_before(c, s.time) >= several_timeouts) {
        const SizesAtLoss sizes =
            sizes_at_loss(sent_, board_, acked, high_end_, full, s.time - least_timeout);
        if (sizes.lost >= 2 && sizes.black_hole())
            found_black_hole(sizes.smallest_lost, sizes.largest_passed, s.frame);
        made(size_traces_).first_after_silence = {r.offset, s.payload_length};
        return;
    }
    // The next segment leaves a hole behind the one that ended the silence, whose whole full segments the
    // sender fills with smaller ones: it has found a smaller MTU (RFC 4821).
    if (!size_traces_)
        return;
    const auto first = std::exchange(size_traces_->first_after_silence, {});
    if (first.length != 0 && r.offset > high_end_ && (r.offset - first.offset) % full == 0 &&
        first.length < full)
        found_black_hole(full, first.length, s.frame);
}

} // namespace iscsiscope
