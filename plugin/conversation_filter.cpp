// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/conversation_filter.h"

#include "plugin/compat/guard.h"
#include "plugin/compat/wireshark_versions.h"
#include "plugin/store/session.h"

#include <string>

namespace iscsiscope::plugin {
namespace {

// Returns "iscsiscope.cycle.id in {3, 4}"; empty: the frame carries bytes of no cycle.
std::string filter_of(FrameNumber frame) {
    if (session() == nullptr)
        return "";
    FrameFacts facts;
    session()->store().facts_of(frame, ResultOn::end, facts);
    std::string numbers;
    for (const CycleOnFrame &on : facts.cycles)
        numbers += (numbers.empty() ? "" : ", ") + to_string(on.cycle->record.cycle);
    if (facts.cycles.size() == 1)
        return "iscsiscope.cycle.id == " + numbers;
    return numbers.empty() ? "" : "iscsiscope.cycle.id in {" + numbers + "}";
}

bool has_cycle(packet_info *pinfo) {
    bool has = false;
    guarded([&] { has = !filter_of(pinfo->num).empty(); });
    return has;
}

char *build(packet_info *pinfo) {
    char *filter = nullptr;
    guarded([&] {
        if (const std::string words = filter_of(pinfo->num); !words.empty())
            filter = g_strdup(words.c_str());
    });
    return filter;
}

} // namespace

void register_conversation_filter_of_cycles() {
    add_conversation_filter<has_cycle, build>("iscsiscope", "iSCSI cycle");
}

} // namespace iscsiscope::plugin
