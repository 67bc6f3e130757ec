// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/where_words.h"

#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/iscsi/scsi/lun.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string type_words(TaskType type) {
    return type == TaskType::read ? "Reads" : type == TaskType::write ? "Writes" : "other commands";
}

std::string place_words(const FindingPlace &p, const Facts &facts) {
    const ConnectionFacts *c = connection_of(facts, p.stream);
    switch (p.kind.value_or(PlaceKind::type)) {
    case PlaceKind::lun: {
        const bool one_target = std::ranges::all_of(facts.connections, [&](const ConnectionFacts &k) {
            return c == nullptr || k.record.target.address == c->record.target.address;
        });
        return "LUN " + to_string(Lun{p.lun}) +
               (one_target ? std::string() : " of " + end_with_address(c, true));
    }
    case PlaceKind::connection:
        return c != nullptr && c->record.target != Endpoint{}
                   ? "the connection from " + to_text(c->record.initiator)
                   : "one connection";
    case PlaceKind::initiator:
        return end_with_address(c, false);
    case PlaceKind::target:
        return end_with_address(c, true);
    case PlaceKind::type:
        break;
    }
    return {};
}

} // namespace

std::string where_words(const FindingPlace &p, const Facts &facts) {
    if (!p.known())
        return "";
    const std::string place = place_words(p, facts), type = p.type ? type_words(*p.type) : std::string();
    const std::string name = type.empty() ? place : place.empty() ? type : type + " of " + place;
    return capitalized(fmt::format("{} {}: {} of the busy time there, {} elsewhere.", name,
                                   p.part > 0.995 ? "only" : "mostly", percent(p.share),
                                   percent(p.share_of_others)));
}

} // namespace iscsiscope
