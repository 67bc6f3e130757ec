// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/outages.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

constexpr Duration longest_repair = 1s, second_repeat = 1500ms, fifth_repeat = 6s;

Time end_of(const GapRecord &gap) {
    return gap.start + gap.length;
}

Duration round_trip(const GapRecord &gap) {
    return gap.rtt_to_awaited.value_or(Duration{}) + gap.rtt_to_other.value_or(Duration{});
}

// For so long nothing got through on the path. What the first gap of an interval begins with may be answered
// in it, by an ACK that is delayed by 40 ms (Linux) and behind what was under way.
Duration unanswered(const GapRecord &gap, bool first) {
    const bool then_answered = first && gap.length - gap.unanswered <= 2 * round_trip(gap) + 40ms;
    return then_answered ? gap.length : gap.unanswered;
}

// True if the gap shows at a tap beyond the break that repeats were lost (outages.h).
bool is_late(const GapRecord &gap, Duration unanswered) {
    return unanswered >= second_repeat || gap.length >= fifth_repeat;
}

// True if the gap follows the other before an answer to what ended that one can have come, and none came.
bool continues(const GapRecord &gap, const GapRecord &before) {
    if (gap.start_answered)
        return false;
    return gap.start <= end_of(before) + round_trip(gap) * 3 / 4;
}

// An RST or a new login ended the gap, or the connection.
bool connection_ended(const GapRecord &gap) {
    return std::any_of(
        gap.proof.begin(), gap.proof.end(),
        [](const GapProofFrame &p) { return p.frame && p.proof == GapProof::reset; });
}

// True if nothing was under way in most of the interval: all had been answered, no task was open once the
// last status had reached the initiator, and only an RST or a new login came.
bool was_idle(std::span<const Wait> gaps) {
    const GapRecord &gap = gaps.front().gap;
    return gaps.size() == 1 && gap.start_answered && gap.without_task * 2 > gap.length &&
           connection_ended(gap);
}

// True if a path that loses single segments at random, as often as this connection lost them at other times,
// makes such an interval with a probability of one in twenty or more: at one of its losses all repeats that
// stayed unanswered were lost by chance as well.
bool chance_explains(const std::array<const TcpDirectionFigures *, 2> &figures, const OutageInterval &s) {
    double segments = 0, lost = 0;
    for (const TcpDirectionFigures *d : figures)
        if (d != nullptr) {
            segments += static_cast<double>(d->segments);
            lost += static_cast<double>(d->lost());
        }
    lost -= static_cast<double>(s.lost_to_target + s.lost_to_initiator);
    if (lost <= 0 || segments <= 0)
        return false;
    // At a tap that the repeats do not pass, at least those of timeouts of one second, doubling.
    const double seconds = std::chrono::duration<double>(s.length()).count();
    const double unanswered = std::max(static_cast<double>(s.repeats), std::floor(std::log2(seconds + 1)));
    return lost * std::pow(lost / segments, unanswered) >= 0.05;
}

} // namespace

bool OutageGaps::keep(const Wait &w) {
    if (gaps_.size() == max_gaps)
        return false;
    gaps_.push_back(w);
    return true;
}

void OutageGaps::note(const TcpRetransmission &r, bool to_target) {
    if (repeats_.size() < max_repeats)
        repeats_.push_back({r.time, r.length, to_target});
}

OutageInterval OutageGaps::interval(std::span<const Wait> gaps) const {
    const GapRecord &first = gaps.front().gap, &last = gaps.back().gap;
    OutageInterval s;
    s.start = first.start;
    s.end = end_of(last);
    s.before_frame = first.before_frame;
    s.after_frame = last.after_frame;
    s.ended_by_repair = last.after_frame && !connection_ended(last);
    s.repeats = gaps.size() - 1;
    for (const Repeat &r : repeats_)
        if (r.time > s.start && r.time <= s.end) {
            ++(r.to_target ? s.lost_to_target : s.lost_to_initiator);
            s.bytes_again += r.bytes;
            s.smallest_again = std::min(s.smallest_again.value_or(r.bytes), r.bytes);
        }
    return s;
}

void OutageGaps::decide(const std::array<const TcpDirectionFigures *, 2> &figures, const Found &found,
                        const Judged &judged) {
    const std::span<const Wait> own(gaps_);
    for (std::size_t from = 0, to = 0; from < own.size(); from = to) {
        bool down = false, late = false;
        Duration silent{};
        for (to = from; to < own.size() && (to == from || continues(own[to].gap, own[to - 1].gap)); ++to) {
            const Duration part = unanswered(own[to].gap, to == from);
            silent += part;
            down = down || own[to].gap.kind == GapKind::path_down;
            late = late || is_late(own[to].gap, part);
        }
        const OutageInterval s = interval(own.subspan(from, to - from));
        const bool outage = !was_idle(own.subspan(from, to - from)) && (down || late) &&
                            (silent >= longest_repair || s.length() >= fifth_repeat) &&
                            !chance_explains(figures, s);
        if (outage)
            found(s);
        for (std::size_t i = from; i < to; ++i)
            judged(own[i], outage);
    }
    gaps_.clear();
    repeats_.clear();
}

void OutageGaps::show(OldestCycle &oldest) const {
    for (const Wait &w : gaps_)
        w.show(oldest);
}

} // namespace iscsiscope
