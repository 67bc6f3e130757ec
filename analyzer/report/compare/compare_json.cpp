// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/report/json/json_parts.h"

namespace iscsiscope {
namespace {

const char *unit_name(Unit u) {
    switch (u) {
    case Unit::time:
    case Unit::instant:
        return "ns";
    case Unit::bytes:
        return "bytes";
    case Unit::rate:
        return "bytes/s";
    case Unit::share:
        return "share";
    case Unit::none:
        break;
    }
    return "";
}

Json severity(const std::optional<Severity> &s) {
    return s ? Json(name(*s)) : Json(nullptr);
}

} // namespace

std::string compare_json(const Comparison &c) noexcept {
    Json j;
    j["before"] = c.before;
    j["after"] = c.after;
    j["sentence"] = c.sentence;
    Json &differences = j["differences"] = Json::array();
    for (const Difference &d : c.differences) {
        differences.push_back({{"group", d.group},
                               {"name", d.name},
                               {"unit", unit_name(d.unit)},
                               {"before", optional_json(d.before)},
                               {"after", optional_json(d.after)},
                               {"change", optional_json(d.change())}});
    }
    Json &findings = j["findings"] = Json::array();
    for (const FindingChange &f : c.findings) {
        findings.push_back({{"kind", name(f.kind)},
                            {"change", !f.before  ? "appeared"
                                       : !f.after ? "gone"
                                                  : "both"},
                            {"share_before", optional_json(f.before)},
                            {"share_after", optional_json(f.after)},
                            {"severity_before", severity(f.severity_before)},
                            {"severity_after", severity(f.severity_after)}});
    }
    Json &settings = j["settings"] = Json::array();
    for (const SettingChange &s : c.settings) {
        settings.push_back(
            {{"name", s.name}, {"before", text_json(s.before)}, {"after", text_json(s.after)}});
    }
    return json_text(j) + "\n";
}

} // namespace iscsiscope
