// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/show.h"

#include "analyzer/report/cell.h"
#include "analyzer/report/wording.h"
#include "plugin/fields.h"

#include <cstdio>
#include <string>

namespace iscsiscope::plugin {
namespace {

// Adds generated items of no bytes to one subtree. Values that are not known are left out.
class Adder {
public:
    Adder(tvbuff_t *tvb, proto_tree *tree) : tvb_(tvb), tree_(tree) {}

    proto_tree *tree() const { return tree_; }

    void number(Field f, std::uint32_t v) { generated(proto_tree_add_uint(tree_, hf(f), tvb_, 0, 0, v)); }
    void big_number(Field f, std::uint64_t v) {
        generated(proto_tree_add_uint64(tree_, hf(f), tvb_, 0, 0, v));
    }
    void frame(Field f, FrameNumber v) {
        if (v != 0)
            number(f, static_cast<std::uint32_t>(v));
    }
    void text(Field f, const std::string &v) {
        generated(proto_tree_add_string(tree_, hf(f), tvb_, 0, 0, v.c_str()));
    }
    void share(Field f, double v) { generated(proto_tree_add_double(tree_, hf(f), tvb_, 0, 0, v)); }
    void time(Field f, std::optional<Duration> v) {
        if (!v)
            return;
        constexpr std::int64_t second = 1'000'000'000;
        nstime_t t;
        t.secs = static_cast<time_t>(to_ns(*v) / second);
        t.nsecs = static_cast<int>(to_ns(*v) % second);
        generated(proto_tree_add_time(tree_, hf(f), tvb_, 0, 0, &t));
    }
    Adder subtree(Field f, Subtree s, const std::string &label) {
        proto_item *item = proto_tree_add_none_format(tree_, hf(f), tvb_, 0, 0, "%s", label.c_str());
        generated(item);
        return {tvb_, proto_item_add_subtree(item, ett(s))};
    }

private:
    static void generated(proto_item *item) { proto_item_set_generated(item); }

    tvbuff_t *tvb_;
    proto_tree *tree_;
};

std::string milliseconds(Duration d) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(to_ns(d)) / 1e6);
    return text;
}

std::string lun_text(std::uint64_t lun) {
    Scratch scratch;
    const Value v = lun_cell(lun, scratch);
    return v.type() == ValueType::text ? std::string(v.as_text()) : std::to_string(v.as_natural());
}

std::string label_of(const CycleOnFrame &on) {
    const CycleRecord &r = on.cycle->record;
    std::string label = "Cycle " + std::to_string(r.cycle) + ":";
    if (r.opcode)
        label += ' ' + command_words(*r.opcode, r.service_action);
    else
        label += " command not in the capture";
    for (std::size_t role = 0; role < role_count; ++role)
        if ((on.roles >> role & 1U) != 0)
            label += std::string(", ") + name(static_cast<Role>(role));
    if (on.result && r.response_time)
        label += ", response time " + milliseconds(*r.response_time);
    return label;
}

void show_result(Adder &to, const Cycle &cycle) {
    const CycleRecord &r = cycle.record;
    to.text(Field::cycle_outcome, std::string(name(r.outcome)));
    to.big_number(Field::cycle_bytes_moved, r.bytes_moved);
    to.time(Field::cycle_response_time, r.response_time);
    if (r.has_phases) {
        const Phases &p = r.phases;
        to.time(Field::cycle_command, p.command);
        to.time(Field::cycle_first_data_wait, p.first_data_wait);
        to.time(Field::cycle_data, p.data);
        to.time(Field::cycle_unsolicited, p.unsolicited);
        to.time(Field::cycle_r2t_wait, p.r2t_wait);
        to.time(Field::cycle_burst_response, p.burst_response);
        to.time(Field::cycle_burst_data, p.burst_data);
        to.time(Field::cycle_status_wait, p.status_wait);
    }
    to.number(Field::cycle_r2t_count, r.r2t_count);
    if (!cycle.final)
        return;
    to.time(Field::cycle_time, r.cycle_time);
    to.time(Field::cycle_next_command_wait, r.next_command_wait);
    to.time(Field::cycle_target_service, r.target_service);
    to.time(Field::cycle_idle, r.idle);
    if (r.idle && r.cycle_time && *r.cycle_time > Duration{})
        to.share(Field::cycle_idle_ratio,
                 static_cast<double>(to_ns(*r.idle)) / static_cast<double>(to_ns(*r.cycle_time)));
    to.number(Field::cycle_retransmitted_segments, r.retransmitted_segments);
}

void show_burst(Adder &cycle, const BurstRecord &b) {
    Adder to = cycle.subtree(Field::burst, Subtree::burst,
                             b.burst == 0 ? std::string("Unsolicited data")
                                          : "Burst " + std::to_string(b.burst) + ": " +
                                                std::to_string(b.desired_bytes) + " bytes at " +
                                                std::to_string(b.offset));
    to.number(Field::burst_number, b.burst);
    if (b.r2t_sn)
        to.number(Field::burst_r2tsn, *b.r2t_sn);
    if (b.ttt)
        to.number(Field::burst_ttt, *b.ttt);
    to.number(Field::burst_offset, b.offset);
    to.number(Field::burst_length, b.desired_bytes);
    to.number(Field::burst_sent, b.sent_bytes);
    to.frame(Field::burst_r2t_frame, b.r2t_frame);
    to.frame(Field::burst_first_frame, b.first_frame);
    to.frame(Field::burst_last_frame, b.last_frame);
    to.time(Field::burst_wait, b.r2t_wait);
    to.time(Field::burst_response, b.burst_response);
    to.time(Field::burst_time, b.burst_data);
}

void show_cycle(Adder &root, packet_info *pinfo, const CycleOnFrame &on) {
    const CycleRecord &r = on.cycle->record;
    Adder to = root.subtree(Field::cycle, Subtree::cycle, label_of(on));
    to.big_number(Field::cycle_id, r.cycle);
    if (on.cycle->ended || r.command_frame != 0) {
        to.text(Field::cycle_type, std::string(name(r.type)));
        to.text(Field::cycle_lun, lun_text(r.lun));
        to.big_number(Field::session_id, r.session);
    }
    for (std::size_t role = 0; role < role_count; ++role)
        if ((on.roles >> role & 1U) != 0)
            to.text(Field::cycle_role, name(static_cast<Role>(role)));
    to.number(Field::cycle_itt, r.itt);
    if (r.opcode)
        to.number(Field::cycle_opcode, *r.opcode);
    if (r.lba)
        to.big_number(Field::cycle_lba, *r.lba);
    if (r.blocks)
        to.big_number(Field::cycle_blocks, *r.blocks);
    if (r.bytes_expected)
        to.number(Field::cycle_bytes, *r.bytes_expected);
    if (r.command_frame != 0)
        to.number(Field::cycle_outstanding, r.queue_depth);
    to.frame(Field::cycle_command_frame, r.command_frame);
    to.frame(Field::cycle_first_data_frame, r.first_data_frame);
    to.frame(Field::cycle_last_data_frame, r.last_data_frame);
    to.frame(Field::cycle_status_frame, r.status_frame);
    to.frame(Field::cycle_end_frame, r.end_frame);
    if (r.cid)
        to.number(Field::session_cid, *r.cid);
    to.big_number(Field::stream, r.stream);
    if (on.result) {
        show_result(to, *on.cycle);
        if (r.outcome != TaskOutcome::good)
            expert_add_info_format(pinfo, proto_tree_get_parent(to.tree()), expert_of_outcome(),
                                   "Cycle %s: %s", std::to_string(r.cycle).c_str(),
                                   std::string(name(r.outcome)).c_str());
    }
    to.text(Field::cycle_clip_filter, "iscsiscope.cycle.id == " + std::to_string(r.cycle));
    for (const BurstRecord *burst : on.bursts)
        show_burst(to, *burst);
}

void show_gap(Adder &root, packet_info *pinfo, const GapRecord &g) {
    const std::string what = milliseconds(g.length) + " " + std::string(name(g.kind));
    Adder to = root.subtree(Field::gap, Subtree::gap, "Idle gap: " + what);
    to.time(Field::gap_time, g.length);
    to.text(Field::gap_kind, std::string(name(g.kind)));
    if (g.cycle)
        to.big_number(Field::gap_cycle, *g.cycle);
    to.big_number(Field::gap_stream, g.stream);
    to.frame(Field::gap_before_frame, g.before_frame);
    to.frame(Field::gap_after_frame, g.after_frame);
    if (expert_field *expert = expert_of_gap(g.kind, g.length))
        expert_add_info_format(pinfo, proto_tree_get_parent(to.tree()), expert, "Idle for %s: %s",
                               milliseconds(g.length).c_str(), std::string(explanation(g.kind)).c_str());
}

void show_rest(Adder &root, packet_info *pinfo, const FrameFacts &facts) {
    for (const EventRecord *e : facts.events) {
        const std::string words = event_words(e->opcode, e->code);
        root.text(Field::event, words);
        if (e->opcode != Opcode::nop_in && e->opcode != Opcode::nop_out &&
            e->opcode != Opcode::logout_request && e->opcode != Opcode::logout_response)
            expert_add_info_format(pinfo, proto_tree_get_parent(root.tree()), expert_of_event(), "%s",
                                   words.c_str());
    }
    for (const Anomaly *a : facts.anomalies) {
        root.text(Field::anomaly, std::string(name(a->kind)));
        if (a->kind == AnomalyKind::digest_mismatch)
            expert_add_info(pinfo, proto_tree_get_parent(root.tree()), expert_of_digest());
    }
}

} // namespace

void show(const FrameFacts &facts, int protocol, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
    proto_item *item = proto_tree_add_item(tree, protocol, tvb, 0, 0, ENC_NA);
    proto_item_set_generated(item);
    Adder root(tvb, proto_item_add_subtree(item, ett(Subtree::protocol)));
    for (const CycleOnFrame &on : facts.cycles)
        show_cycle(root, pinfo, on);
    for (const GapRecord *gap : facts.gaps)
        show_gap(root, pinfo, *gap);
    show_rest(root, pinfo, facts);
}

} // namespace iscsiscope::plugin
