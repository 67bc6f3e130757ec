// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/outages.h"

#include <algorithm>
#include <tuple>

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
    return gap.stream == before.stream && gap.start <= end_of(before) + round_trip(gap) * 3 / 4;
}

// An RST or a new login ended the gap, or the connection.
bool connection_ended(const GapRecord &gap) {
    return std::any_of(
        gap.proof.begin(), gap.proof.end(),
        [](const GapProofFrame &p) { return p.frame && p.proof == GapProof::reset; });
}

} // namespace

bool OutageGaps::keep(const GapRecord &gap) {
    if ((gap.kind != GapKind::path_down && gap.kind != GapKind::retransmission_timeout) ||
        gaps_.size() == max_gaps)
        return false;
    gaps_.push_back(gap);
    return true;
}

void OutageGaps::note(const TcpRetransmission &r, bool to_target) {
    if (r.kind == RetransmissionClass::timeout && r.place != LossPlace::none && repeats_.size() < max_repeats)
        repeats_.push_back({r.stream, r.time, r.length, to_target});
}

OutageInterval OutageGaps::interval(std::size_t from, std::size_t to) const {
    const GapRecord &first = gaps_[from], &last = gaps_[to - 1];
    OutageInterval s;
    s.start = first.start;
    s.end = end_of(last);
    s.before_frame = first.before_frame;
    s.after_frame = last.after_frame;
    s.ended_by_repair = last.after_frame && !connection_ended(last);
    s.repeats = to - from - 1;
    for (const Repeat &r : repeats_)
        if (r.stream == first.stream && r.time > s.start && r.time <= s.end) {
            ++(r.to_target ? s.lost_to_target : s.lost_to_initiator);
            s.bytes_again += r.bytes;
            s.smallest_again = std::min(s.smallest_again.value_or(r.bytes), r.bytes);
        }
    return s;
}

void OutageGaps::decide(const Found &found, const Judged &judged) {
    std::stable_sort(gaps_.begin(), gaps_.end(), [](const GapRecord &a, const GapRecord &b) {
        return std::tie(a.stream, a.start) < std::tie(b.stream, b.start);
    });
    for (std::size_t from = 0, to = 0; from < gaps_.size(); from = to) {
        bool down = false, late = false;
        Duration silent{};
        for (to = from; to < gaps_.size() && (to == from || continues(gaps_[to], gaps_[to - 1])); ++to) {
            const Duration part = unanswered(gaps_[to], to == from);
            silent += part;
            down = down || gaps_[to].kind == GapKind::path_down;
            late = late || is_late(gaps_[to], part);
        }
        const OutageInterval s = interval(from, to);
        const bool outage = (down || late) && (silent >= longest_repair || s.length() >= fifth_repeat);
        if (outage)
            found(gaps_[from].stream, s);
        for (std::size_t i = from; i < to; ++i)
            judged(gaps_[i], outage);
    }
    gaps_.clear();
    repeats_.clear();
}

} // namespace iscsiscope
