// SPDX-License-Identifier: GPL-2.0-or-later
// Expert infos. Wireshark fixes the severity of each at registration, so a kind of gap or finding has one for
// each severity that the time it cost may give it.
#include "plugin/fields/fields.h"

#include "analyzer/report/wording.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace iscsiscope::plugin {
namespace {

struct Level {
    const char *suffix;
    int severity;
    Duration from; // lost time
};
constexpr Level levels[] = {
    {"", PI_CHAT, std::chrono::milliseconds(1)},
    {"_note", PI_NOTE, std::chrono::milliseconds(10)},
    {"_warn", PI_WARN, std::chrono::milliseconds(100)},
    {"_error", PI_ERROR, std::chrono::seconds(1)},
};
constexpr std::size_t level_count = std::size(levels);
constexpr std::size_t chat = 0, note = 1, warning = 2;

using Fields = std::array<expert_field, level_count>; // of one kind
struct Experts {
    std::array<Fields, gap_kind_count> gaps;
    std::array<Fields, finding_kind_count> findings;
    expert_field outcome, inferred, event, digest;
    std::vector<ei_register_info> info;
    std::vector<std::string> names, summaries; // pointed to by info
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

// One for each level; elements of names and summaries must not move.
void describe_kind(Experts &e, Fields &fields, const std::string &name, std::string summary) {
    e.summaries.push_back(std::move(summary));
    for (std::size_t i = 0; i < level_count; ++i) {
        e.names.push_back(name + levels[i].suffix);
        e.info.push_back(describe(&fields[i], e.names.back().c_str(), PI_SEQUENCE, levels[i].severity,
                                  e.summaries.back().c_str()));
    }
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
    e.names.reserve((gap_kind_count + finding_kind_count) * level_count);
    e.summaries.reserve(gap_kind_count + finding_kind_count);
    for (std::size_t k = 0; k < gap_kind_count; ++k) {
        const auto kind = static_cast<GapKind>(k);
        describe_kind(e, e.gaps[k], "iscsiscope.expert.gap." + std::string(name(kind)),
                      "Idle gap: " + std::string(explanation(kind)));
    }
    for (std::size_t k = 0; k < finding_kind_count; ++k) {
        const auto kind = static_cast<FindingKind>(k);
        describe_kind(e, e.findings[k], "iscsiscope.expert.finding." + std::string(name(kind)),
                      "Finding: " + std::string(title(kind)));
    }
    e.info.push_back(describe(&e.outcome, "iscsiscope.expert.outcome", PI_RESPONSE_CODE, PI_NOTE,
                              "The command did not end well"));
    e.info.push_back(describe(&e.inferred, "iscsiscope.expert.inferred", PI_ASSUMPTION, PI_CHAT,
                              "The header or task tag of a PDU is not in the file"));
    e.info.push_back(describe(&e.event, "iscsiscope.expert.event", PI_SEQUENCE, PI_WARN,
                              "Task management, Reject or asynchronous message"));
    e.info.push_back(
        describe(&e.digest, "iscsiscope.expert.digest", PI_CHECKSUM, PI_ERROR, "A CRC32C digest is wrong"));
    expert_module_t *module = expert_register_protocol(protocol);
    expert_register_field_array(module, e.info.data(), static_cast<int>(e.info.size()));
}

expert_field *expert_of_gap(GapKind kind, Duration length) {
    const std::size_t level = is_harmless(kind) ? level_count : level_of(length);
    return level < level_count ? &experts().gaps[static_cast<std::size_t>(kind)][level] : nullptr;
}

expert_field *expert_of_finding(const Finding &f) {
    const Duration time = f.lost_time > Duration{} ? f.lost_time : f.task_time;
    std::size_t level = level_of(time);
    if (level == level_count) // one that costs no time, such as the pauses of a host, counts by its severity
        level = time <= Duration{} && f.severity != iscsiscope::Severity::info ? note : chat;
    if (f.failure)
        level = std::max(level, warning);
    if (f.severity != iscsiscope::Severity::problem) // no problem, however long
        level = std::min(level, note);
    return &experts().findings[static_cast<std::size_t>(f.kind)][level];
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

} // namespace iscsiscope::plugin
