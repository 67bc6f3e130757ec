// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/dissector.h"

#include "plugin/compat/guard.h"
#include "plugin/compat/wireshark_versions.h"
#include "plugin/conversation_filter.h"
#include "plugin/fields/fields.h"
#include "plugin/fields/show.h"
#include "plugin/preferences.h"
#include "plugin/segment_source.h"
#include "plugin/statistics/statistics.h"
#include "plugin/store/session.h"

#include <memory>

namespace iscsiscope::plugin {
namespace {

// State that Wireshark's callbacks share, since they pass no argument of the plugin's own.
struct Plugin {
    int protocol = -1;
    int tap = -1, expert_tap = -1;
    dissector_handle_t handle = nullptr;
    SegmentSource source;
    std::unique_ptr<Session> session;
    FrameFacts facts; // reused from frame to frame
    FieldValues values;
};
Plugin &plugin() {
    static Plugin p;
    return p;
}

// Runs the work; if it throws (out of memory), the session of the file is dropped.
template <class Work>
void attempt(Work work) noexcept {
    if (!guarded(work))
        plugin().session.reset();
}

void tap(packet_info *pinfo) {
    Plugin &p = plugin();
    const auto put = [&](TapItem item) {
        auto *kept = wmem_new(pinfo->pool, TapItem);
        *kept = item;
        tap_queue_packet(p.tap, pinfo, kept);
    };
    for (const Cycle *cycle : p.facts.ended)
        put({cycle, nullptr});
    for (const GapOnFrame &gap : p.facts.gaps)
        put({nullptr, gap.record});
}

// Returns whether an expert listener or the tree uses the items; if not, they are not made.
bool is_read(proto_tree *tree) {
    Plugin &p = plugin();
    if (p.expert_tap < 0) // Wireshark registers the expert tap after this plugin
        p.expert_tap = find_tap_id("expert");
    return have_tap_listener(p.expert_tap) ||
           (tree != nullptr && proto_field_is_referenced(tree, p.protocol));
}

int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *) {
    Plugin &p = plugin();
    if (p.session == nullptr)
        return 0;
    const bool first_pass = pinfo->fd->visited == 0;
    const Frame packet = first_pass ? p.source.ip_packet(pinfo, tvb) : Frame{};
    const bool tapped = have_tap_listener(p.tap), read = is_read(tree);
    const bool in_info = pinfo->cinfo != nullptr && cycles_in_info_column();
    attempt([&] {
        if (first_pass) {
            p.session->store().begin_frame(pinfo->num);
            p.session->feed(packet);
            if (packet.bytes.empty() && p.source.holds_tcp(pinfo))
                p.session->lost_segment(pinfo->num);
        }
        if (!tapped && !read && !in_info)
            p.facts.clear();
        else if (first_pass)
            p.session->store().facts_now(pinfo->num, p.facts);
        else
            p.session->store().facts_of(pinfo->num, result_on(), p.facts);
    });
    if (p.session == nullptr || !p.facts.any())
        return 0;
    if (tapped)
        tap(pinfo);
    if (!read && !in_info)
        return 0;
    Labels labels = labels_wanted(tree, p.protocol);
    labels.title = labels.title || in_info;
    // What is tapped above must live on, whatever happens.
    if (!guarded([&] { write(p.facts, labels, p.values); }))
        return 0;
    if (in_info && p.values.title()[0] != '\0')
        col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", p.values.title());
    if (read)
        show(p.values, p.protocol, tvb, pinfo, tree);
    return 0;
}

void open_file() {
    plugin().expert_tap = -1;
    attempt([] { plugin().session = std::make_unique<Session>(engine_options(), extras()); });
}

void close_file() {
    plugin().session.reset();
    plugin().facts.clear();
}

void first_pass_done() {
    if (plugin().session != nullptr)
        attempt([] { plugin().session->finish(); });
}

} // namespace

Session *session() {
    return plugin().session.get();
}

void register_protocol() {
    Plugin &p = plugin();
    p.protocol = proto_register_protocol("iSCSI Cycles", "iSCSI Cycles", "iscsiscope");
    register_fields(p.protocol);
    register_preferences(p.protocol);
    p.handle = register_dissector("iscsiscope", dissect, p.protocol);
    p.tap = register_tap("iscsiscope");
    register_init_routine(open_file);
    register_cleanup_routine(close_file);
    register_postseq_cleanup_routine(first_pass_done);
    register_postdissector(p.handle);
    register_statistics(p.protocol);
    register_conversation_filter_of_cycles();
}

void register_handoff() {
    plugin().source.look_up();
}

} // namespace iscsiscope::plugin
