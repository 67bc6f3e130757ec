// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/finding.h"

#include <algorithm>

namespace iscsiscope {

std::string_view name(Severity s) {
    constexpr std::string_view names[] = {"problem", "notice", "info"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view name(FigureUnit u) {
    constexpr std::string_view names[] = {"", "ns", "bytes", "bytes/s", "share"};
    return names[static_cast<std::size_t>(u)];
}

std::string_view name(PlaceKind k) {
    constexpr std::string_view names[] = {"connection", "initiator", "target", "lun", "type"};
    return names[static_cast<std::size_t>(k)];
}

const Finding *FindingsResult::find(FindingKind kind) const {
    const auto at = std::ranges::find(findings, kind, &Finding::kind);
    return at == findings.end() ? nullptr : &*at;
}

} // namespace iscsiscope
