// SPDX-License-Identifier: GPL-2.0-or-later
// Expert infos. Wireshark fixes the severity of each at registration, so a kind of gap has one for each
// severity that its length may give it.
#include "plugin/fields.h"

#include "analyzer/report/wording.h"

#include <array>
#include <string>
#include <vector>

namespace iscsiscope::plugin {
namespace {

struct Severity {
    const char *suffix;
    int severity;
    Duration from; // lost time
};
constexpr Severity severities[] = {
    {"", PI_CHAT, std::chrono::milliseconds(1)},
    {"_note", PI_NOTE, std::chrono::milliseconds(10)},
    {"_warn", PI_WARN, std::chrono::milliseconds(100)},
    {"_error", PI_ERROR, std::chrono::seconds(1)},
};
constexpr std::size_t severity_count = std::size(severities);

struct Experts {
    std::array<std::array<expert_field, severity_count>, gap_kind_count> gaps;
    expert_field outcome, event, digest;
    std::vector<ei_register_info> info;
    std::vector<std::string> names, summaries; // pointed to by info
};
Experts &experts() {
    static Experts e;
    return e;
}

// Nobody waits for these in vain.
bool is_harmless(GapKind kind) {
    return kind == GapKind::initiator_idle || kind == GapKind::control;
}

ei_register_info describe(expert_field *id, const char *name, int group, int severity, const char *summary) {
    *id = EI_INIT;
    return {id, {name, group, severity, summary, EXPFILL}};
}

} // namespace

void register_experts(int protocol);
void register_experts(int protocol) {
    Experts &e = experts();
    if (!e.info.empty())
        return;
    e.names.reserve(gap_kind_count * severity_count); // elements must not move
    e.summaries.reserve(gap_kind_count);
    for (std::size_t k = 0; k < gap_kind_count; ++k) {
        const auto kind = static_cast<GapKind>(k);
        e.summaries.push_back("Idle gap: " + std::string(explanation(kind)));
        for (std::size_t s = 0; s < severity_count; ++s) {
            e.names.push_back("iscsiscope.expert.gap." + std::string(name(kind)) + severities[s].suffix);
            e.info.push_back(describe(&e.gaps[k][s], e.names.back().c_str(), PI_SEQUENCE,
                                      severities[s].severity, e.summaries.back().c_str()));
        }
    }
    e.info.push_back(describe(&e.outcome, "iscsiscope.expert.outcome", PI_RESPONSE_CODE, PI_NOTE,
                              "The command did not end well"));
    e.info.push_back(describe(&e.event, "iscsiscope.expert.event", PI_SEQUENCE, PI_WARN,
                              "Task management, Reject or asynchronous message"));
    e.info.push_back(
        describe(&e.digest, "iscsiscope.expert.digest", PI_CHECKSUM, PI_ERROR, "A CRC32C digest is wrong"));
    expert_module_t *module = expert_register_protocol(protocol);
    expert_register_field_array(module, e.info.data(), static_cast<int>(e.info.size()));
}

expert_field *expert_of_gap(GapKind kind, Duration length) {
    if (is_harmless(kind))
        return nullptr;
    for (std::size_t s = severity_count; s > 0; --s)
        if (length >= severities[s - 1].from)
            return &experts().gaps[static_cast<std::size_t>(kind)][s - 1];
    return nullptr;
}

expert_field *expert_of_outcome() {
    return &experts().outcome;
}
expert_field *expert_of_event() {
    return &experts().event;
}
expert_field *expert_of_digest() {
    return &experts().digest;
}

} // namespace iscsiscope::plugin
