// SPDX-License-Identifier: GPL-2.0-or-later
// Expert infos. Wireshark fixes the severity of each at registration, so there is one for each severity that
// a finding may have. The kind stands in the text, by which Wireshark counts them.
#include "plugin/fields/fields.h"

#include "analyzer/findings/claims.h"

#include <algorithm>
#include <array>
#include <vector>

namespace iscsiscope::plugin {
namespace {

struct Level {
    const char *name;
    int severity;
};
constexpr Level levels[] = {
    {"iscsiscope.expert.lost_time", PI_CHAT},
    {"iscsiscope.expert.lost_time_note", PI_NOTE},
    {"iscsiscope.expert.lost_time_warn", PI_WARN},
    {"iscsiscope.expert.lost_time_error", PI_ERROR},
};

// The place in `levels` of what the report says of the finding: info, a notice, a problem, a failure.
std::size_t level_of(const Finding &f) {
    switch (f.severity) {
    case iscsiscope::Severity::info:
        return 0;
    case iscsiscope::Severity::notice:
        return 1;
    case iscsiscope::Severity::problem:
        break;
    }
    return is_failure(f) ? 3 : 2;
}

struct Experts {
    std::array<expert_field, std::size(levels)> lost_time; // of gaps and findings, by level
    expert_field outcome, inferred, event, digest, unread;
    std::vector<ei_register_info> info;
};
Experts &experts() {
    static Experts e;
    return e;
}

ei_register_info describe(expert_field *id, const char *name, int group, int severity, const char *summary) {
    *id = EI_INIT;
    return {id, {name, group, severity, summary, EXPFILL}};
}

// Returns whether the gap is ordinary: no finding may claim it, or it is shorter than an answer may take.
bool is_ordinary(const GapRecord &g) {
    LedgerEntry e;
    e.length = g.length;
    return !e.is_long() || std::ranges::none_of(claims(), [&](const Claim &c) {
        return std::ranges::find(c.causes, g.kind) != c.causes.end();
    });
}

} // namespace

void register_experts(int protocol);
void register_experts(int protocol) {
    Experts &e = experts();
    if (!e.info.empty())
        return;
    for (std::size_t i = 0; i < std::size(levels); ++i) {
        e.info.push_back(describe(&e.lost_time[i], levels[i].name, PI_SEQUENCE, levels[i].severity,
                                  "A finding, or an idle gap that it may claim, with its severity"));
    }
    e.info.push_back(describe(&e.outcome, "iscsiscope.expert.outcome", PI_RESPONSE_CODE, PI_NOTE,
                              "The command did not end with status GOOD"));
    e.info.push_back(describe(&e.inferred, "iscsiscope.expert.inferred", PI_ASSUMPTION, PI_CHAT,
                              "The header or task tag of a PDU is not in the file"));
    e.info.push_back(describe(&e.event, "iscsiscope.expert.event", PI_SEQUENCE, PI_NOTE,
                              "Task management, Reject or asynchronous message"));
    e.info.push_back(
        describe(&e.digest, "iscsiscope.expert.digest", PI_CHECKSUM, PI_ERROR, "A CRC32C digest is wrong"));
    e.info.push_back(describe(&e.unread, "iscsiscope.expert.unread", PI_UNDECODED, PI_NOTE,
                              "iSCSI may be here that could not be read"));
    expert_module_t *module = expert_register_protocol(protocol);
    expert_register_field_array(module, e.info.data(), static_cast<int>(e.info.size()));
}

expert_field *expert_of_gap(const GapRecord &g, const Finding *finding) {
    return is_ordinary(g) ? nullptr : &experts().lost_time[finding != nullptr ? level_of(*finding) : 0];
}

expert_field *expert_of_finding(const Finding &f) {
    return &experts().lost_time[level_of(f)];
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
