// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/nop_tracker.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {

// Keeps the unanswered and the slowest rows.
void NopTracker::keep(State &s, const NopRow &row) {
    const auto faster = [](const NopRow &a, const NopRow &b) {
        if (!a.round_trip || !b.round_trip)
            return a.round_trip.has_value() && !b.round_trip.has_value();
        return *a.round_trip < *b.round_trip;
    };
    auto &rows = s.sum.rows;
    if (rows.size() < max_rows) {
        rows.push_back(row);
        return;
    }
    if (const auto least = std::ranges::min_element(rows, faster); faster(*least, row))
        *least = row;
}

void NopTracker::answer(State &s, bool by_target, std::uint32_t tag, const Pdu &pdu) {
    const auto found = std::ranges::find_if(
        s.open, [&](const Request &q) { return q.row.by_target == by_target && q.tag == tag; });
    if (found == s.open.end())
        return;
    NopRow row = found->row;
    s.open.erase(found);
    row.answer_frame = pdu.delivered_frame;
    row.round_trip = std::max(pdu.delivered - row.time, Duration{0});
    const std::int64_t ns = to_ns(*row.round_trip);
    if (by_target) {
        s.sum.round_trip_of_target.add(ns);
    } else {
        s.sum.round_trip.add(ns);
        (row.commands == 0 ? s.sum.idle_round_trip : s.sum.loaded_round_trip).add(ns);
    }
    keep(s, row);
}

// RFC 7143 sections 11.18 and 11.19: a NOP-Out with a valid Initiator Task Tag is a request, one with a valid
// Target Transfer Tag an answer; of a NOP-In the Target Transfer Tag marks a request, the Initiator Task Tag
// an answer.
void NopTracker::nop(const Member &m, const Pdu &pdu) {
    if (!pdu.knows(header_field::initiator_task_tag) || !pdu.knows(header_field::target_transfer_tag))
        return;
    State &s = states_[m.stream];
    const HeaderView v = pdu.view();
    const bool from_target = v.opcode() == Opcode::nop_in;
    const bool has_itt = v.initiator_task_tag() != InitiatorTaskTag::reserved;
    const bool has_ttt = v.target_transfer_tag() != TargetTransferTag::reserved;
    const auto itt = static_cast<std::uint32_t>(v.initiator_task_tag());
    const auto ttt = static_cast<std::uint32_t>(v.target_transfer_tag());
    if (from_target ? has_itt : has_ttt)
        answer(s, !from_target, from_target ? itt : ttt, pdu);
    if (!(from_target ? has_ttt && !has_itt : has_itt))
        return;
    ++(from_target ? s.sum.asked_by_target : s.sum.asked_by_initiator);
    Request q;
    q.tag = from_target ? ttt : itt;
    q.row = {m.stream, from_target,  pdu.first_seen, pdu.frame,
             {},       std::nullopt, m.outstanding,  m.outstanding_bytes};
    if (s.open.size() == max_open) {
        ++s.sum.unanswered;
        keep(s, s.open.front().row);
        s.open.erase(s.open.begin());
    }
    s.open.push_back(q);
}

void NopTracker::drop_open(State &s) {
    s.sum.not_known += s.open.size();
    s.open.clear();
}

void NopTracker::sync(StreamId stream, bool lost) {
    State &s = states_[stream];
    drop_open(s);
    s.lost = lost ? s.lost + 1 : s.lost - std::min(s.lost, 1U);
}

void NopTracker::close(const ConnectionRecord &r) {
    const auto found = states_.find(r.stream);
    if (found == states_.end())
        return;
    State &s = found->second;
    if (s.lost != 0)
        drop_open(s);
    const Duration round_trip =
        r.rtt_to_initiator.value_or(Duration{}) + r.rtt_to_target.value_or(Duration{});
    std::erase_if(s.open, [&](const Request &q) {
        // Without a segment in its direction, or too near the end, an answer may be missing from the capture.
        const bool captured = (q.row.by_target ? r.segments_to_target : r.segments_to_initiator) != 0;
        const bool had_time = r.end - q.row.time > std::chrono::seconds(1) + round_trip;
        s.sum.not_known += captured && had_time ? 0 : 1;
        return !captured || !had_time;
    });
}

std::vector<NopFigures> NopTracker::take() {
    std::vector<NopFigures> all;
    for (auto &[stream, s] : states_) {
        if (s.sum.asked_by_initiator + s.sum.asked_by_target == 0)
            continue;
        s.sum.stream = stream;
        s.sum.unanswered += s.open.size();
        for (const Request &q : s.open)
            keep(s, q.row);
        std::ranges::sort(s.sum.rows, {}, &NopRow::time);
        all.push_back(std::move(s.sum));
    }
    states_.clear();
    return all;
}

} // namespace iscsiscope
