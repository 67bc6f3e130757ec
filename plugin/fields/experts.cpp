// SPDX-License-Identifier: GPL-2.0-or-later
// Expert infos. Wireshark fixes the severity of each at registration, so there is one for each severity that
// the time lost may give a gap or finding. The kind stands in the text, by which Wireshark counts them.
#include "plugin/fields/fields.h"

#include <algorithm>
#include <array>
#include <vector>

namespace iscsiscope::plugin {
namespace {

struct Level {
    const char *name;
    int severity;
    Duration from; // lost time
};
constexpr Level levels[] = {
    {"iscsiscope.expert.lost_time", PI_CHAT, std::chrono::milliseconds(1)},
    {"iscsiscope.expert.lost_time_note", PI_NOTE, std::chrono::milliseconds(10)},
    {"iscsiscope.expert.lost_time_warn", PI_WARN, std::chrono::milliseconds(100)},
    {"iscsiscope.expert.lost_time_error", PI_ERROR, std::chrono::seconds(1)},
};
constexpr std::size_t level_count = std::size(levels);
constexpr std::size_t chat_level = 0, note_level = 1, warning_level = 2;

struct Experts {
    std::array<expert_field, level_count> lost_time; // of gaps and findings, by level
    expert_field outcome, inferred, event, digest, unread;
    std::vector<ei_register_info> info;
};
Experts &experts() {
    static Experts e;
    return e;
}

// Returns whether gaps of this kind cost nothing: no task waits in them.
bool is_harmless(GapKind kind) {
    return kind == GapKind::initiator_idle || kind == GapKind::control;
}

ei_register_info describe(expert_field *id, const char *name, int group, int severity, const char *summary) {
    *id = EI_INIT;
    return {id, {name, group, severity, summary, EXPFILL}};
}

// The highest level that a lost time reaches; level_count: none.
std::size_t level_of(Duration lost) {
    for (std::size_t i = level_count; i > 0; --i)
        if (lost >= levels[i - 1].from)
            return i - 1;
    return level_count;
}

} // namespace

void register_experts(int protocol);
void register_experts(int protocol) {
    Experts &e = experts();
    if (!e.info.empty())
        return;
    for (std::size_t i = 0; i < level_count; ++i) {
        e.info.push_back(describe(&e.lost_time[i], levels[i].name, PI_SEQUENCE, levels[i].severity,
                                  "An idle gap or a finding, by the time that was lost"));
    }
    e.info.push_back(describe(&e.outcome, "iscsiscope.expert.outcome", PI_RESPONSE_CODE, PI_NOTE,
                              "The command did not end with status GOOD"));
    e.info.push_back(describe(&e.inferred, "iscsiscope.expert.inferred", PI_ASSUMPTION, PI_CHAT,
                              "The header or task tag of a PDU is not in the file"));
    e.info.push_back(describe(&e.event, "iscsiscope.expert.event", PI_SEQUENCE, PI_WARN,
                              "Task management, Reject or asynchronous message"));
    e.info.push_back(
        describe(&e.digest, "iscsiscope.expert.digest", PI_CHECKSUM, PI_ERROR, "A CRC32C digest is wrong"));
    e.info.push_back(describe(&e.unread, "iscsiscope.expert.unread", PI_UNDECODED, PI_NOTE,
                              "iSCSI may be here that could not be read"));
    expert_module_t *module = expert_register_protocol(protocol);
    expert_register_field_array(module, e.info.data(), static_cast<int>(e.info.size()));
}

expert_field *expert_of_gap(GapKind kind, Duration length) {
    const std::size_t level = is_harmless(kind) ? level_count : level_of(length);
    return level < level_count ? &experts().lost_time[level] : nullptr;
}

expert_field *expert_of_finding(const Finding &f) {
    const Duration time = f.lost_time > Duration{} ? f.lost_time : f.task_time;
    std::size_t level = level_of(time);
    if (level == level_count) // one that costs no time, such as the pauses of a host, counts by its severity
        level = time <= Duration{} && f.severity != iscsiscope::Severity::info ? note_level : chat_level;
    if (is_failure(f))
        level = std::max(level, warning_level);
    if (f.severity != iscsiscope::Severity::problem) // no problem, however long
        level = std::min(level, note_level);
    return &experts().lost_time[level];
}

expert_field *expert_of_outcome() {
    return &experts().outcome;
}
expert_field *expert_of_inferred() {
    return &experts().inferred;
}
expert_field *expert_of_event() {
    return &experts().event;
}
expert_field *expert_of_digest() {
    return &experts().digest;
}
expert_field *expert_of_unread() {
    return &experts().unread;
}

} // namespace iscsiscope::plugin
