// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/repeats/black_hole.h"

#include "analyzer/tcp/track/sender_times.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// Repeats of a segment, none acknowledged, after which its size counts as black-holed by the path.
constexpr unsigned black_hole_repeats = 3;
// The same for one packet of a size that the connection has got through before: a full queue may drop it
// again and again by chance. So many repeats take twelve seconds (RFC 6298 section 5.5: each timeout is twice
// the one before; Linux' least one is 200 ms), which is longer than a queue stays full.
constexpr unsigned repeats_beyond_chance = 6;
// A sender whose repeats do not pass the tap has sent at least two within this time (RFC 6298 section 2: the
// first timeout is one second at most, and Linux' least one 200 ms).
constexpr Duration several_timeouts = 1s;

bool selectively_acked(const SackBoard &board, std::uint64_t from, std::uint64_t to) {
    return std::any_of(
        board.ranges().begin(), board.ranges().end(),
        [&](const SackBoard::Range &r) { return r.begin <= from && to <= r.end; });
}

void found(DirectionTally &tally, std::uint32_t lost, std::uint32_t passed, FrameNumber frame) {
    TcpDirectionTroubles &t = tally.troubles();
    if (!t.smallest_black_holed || lost < *t.smallest_black_holed)
        t.smallest_black_holed = lost;
    t.passed_black_hole = std::max(t.passed_black_hole, passed);
    if (t.black_holed_repeats++ == 0)
        t.black_hole_frame = known_frame(frame);
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

// A size larger than any ever acknowledged, repeated without an answer. A repeat in smaller packets than
// before says nothing about its own size yet.
void BlackHole::repeated(const Passing &now, const SentLog::Sent &e) {
    const TcpDirectionCounts &figures = now.tally.counts;
    if (now.length < std::min(e.length, figures.full_segment.value_or(0)))
        return;
    if (e.repeats >= black_hole_repeats && now.length > figures.largest_acked_segment)
        found(now.tally, now.length, figures.largest_acked_segment, now.frame);
}

// Returns the payload of the packet that ended at the acknowledged offset and was still on its way when the
// bytes behind it were first sent; 0: none was.
std::uint32_t BlackHole::passed_before(const Passing &now, Time first) const {
    const SentLog::Sent *before = now.acked > 0 ? now.sent.holding(now.acked - 1) : nullptr;
    if (before == nullptr || before->end() != now.acked || !acked_at_ || *acked_at_ < first)
        return 0;
    const std::uint32_t full = *now.tally.counts.full_segment, rest = before->length % full;
    return rest != 0 ? rest : full;
}

void BlackHole::compare(const Passing &now) {
    const std::uint32_t full = now.tally.counts.full_segment.value_or(0);
    const SentLog::Sent *oldest = now.sent.holding(now.offset);
    if (full == 0 || now.offset != now.acked || oldest == nullptr || oldest->repeats < black_hole_repeats)
        return;
    SizesAtLoss sizes =
        sizes_at_loss(now.sent, now.board, now.acked, now.sent_to, full, now.time - min_timeout);
    // Without a selective ACK: only larger segments were lost, behind a small one that was under way with
    // them. Full ones they need not be: a sender may write its pages one by one.
    if (sizes.largest_passed == 0 && sizes.lost >= 2)
        sizes.largest_passed = passed_before(now, oldest->first);
    const bool chance = sizes.lost == 1 && oldest->repeats < repeats_beyond_chance &&
                        now.tally.counts.largest_acked_segment >= sizes.smallest_lost;
    if (sizes.black_hole() && !chance)
        found(now.tally, sizes.smallest_lost, sizes.largest_passed, now.frame);
    // A repeat in smaller packets: if it arrives, the sender has found a smaller MTU (RFC 4821). That is no
    // proof after an outage of every size, so that everything lost must have been larger.
    if (traces_)
        traces_->shortened = {};
    if (sizes.only_large_lost() && now.length < sizes.smallest_lost)
        traces().shortened = {now.offset + now.length, now.frame, now.length, sizes.smallest_lost};
}

// A repeat in smaller packets has arrived if it lies below the ACK.
void BlackHole::acked(std::uint64_t offset, Time now, DirectionTally &tally) {
    acked_at_ = now;
    if (!traces_)
        return;
    const auto repeat = std::exchange(traces_->shortened, {});
    if (repeat.length != 0 && offset >= repeat.end)
        found(tally, repeat.lost, repeat.length, repeat.frame);
}

void BlackHole::ended(const Passing &now) {
    const std::uint32_t full = now.tally.counts.full_segment.value_or(0);
    const SentLog::Sent *behind = now.sent.first_from(now.acked);
    if (full == 0 || behind == nullptr || behind->begin == now.acked || now.board.ranges().empty() ||
        now.time - behind->first < several_timeouts)
        return;
    const SizesAtLoss sizes = sizes_at_loss(now.sent, now.board, now.acked, now.sent_to, full, now.time);
    if (sizes.lost >= 2 && sizes.black_hole())
        found(now.tally, full, sizes.largest_passed, behind->frame);
}

// The oldest bytes pass for the first time after a long silence: the originals and the first repeats were
// lost before the tap. Segments behind them show their size: holes of whole full segments between smaller
// ones that arrived.
void BlackHole::compare_unseen(const Passing &now, Duration silence) {
    const std::uint32_t full = now.tally.counts.full_segment.value_or(0);
    if (full == 0)
        return;
    if (now.offset == now.acked && silence >= several_timeouts) {
        const SizesAtLoss sizes =
            sizes_at_loss(now.sent, now.board, now.acked, now.sent_to, full, now.time - min_timeout);
        if (sizes.lost >= 2 && sizes.black_hole())
            found(now.tally, sizes.smallest_lost, sizes.largest_passed, now.frame);
        traces().first_after_silence = {now.offset, now.length};
        return;
    }
    // The next segment leaves a hole behind the one that ended the silence, whose whole full segments the
    // sender fills with smaller ones: it has found a smaller MTU (RFC 4821).
    if (!traces_)
        return;
    const auto first = std::exchange(traces_->first_after_silence, {});
    if (first.length != 0 && now.offset > now.sent_to && (now.offset - first.offset) % full == 0 &&
        first.length < full)
        found(now.tally, full, first.length, now.frame);
}

} // namespace iscsiscope
