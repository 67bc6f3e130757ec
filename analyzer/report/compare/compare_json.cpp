// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/compare/throughput_sentence.h"

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

std::optional<std::string_view> severity(const std::optional<Severity> &s) {
    return s ? std::optional<std::string_view>(name(*s)) : std::nullopt;
}

void write_difference(JsonWriter &w, const Difference &d) {
    w.open_object();
    w.add("group", d.group);
    w.add("name", d.name);
    w.add("unit", unit_name(d.unit));
    w.add("before", d.before);
    w.add("after", d.after);
    w.add("change", d.change());
    w.close();
}

void write_finding(JsonWriter &w, const FindingChange &f) {
    w.open_object();
    w.add("kind", name(f.kind));
    w.add("change", !f.before ? "appeared" : !f.after ? "gone" : "both");
    w.add("share_before", f.before);
    w.add("share_after", f.after);
    w.add("severity_before", severity(f.severity_before));
    w.add("severity_after", severity(f.severity_after));
    w.close();
}

} // namespace

std::string compare_json(const Comparison &c) {
    return json_text([&](JsonWriter &w) {
        w.open_object();
        w.add("before", c.before);
        w.add("after", c.after);
        w.add("sentence", throughput_sentence(c.throughput));
        w.open_array("differences");
        for (const Difference &d : c.differences)
            write_difference(w, d);
        w.close();
        w.open_array("findings");
        for (const FindingChange &f : c.findings)
            write_finding(w, f);
        w.close();
        w.open_array("settings");
        for (const SettingChange &s : c.settings) {
            w.open_object();
            w.add("name", s.name);
            w.add("before", known_text(s.before));
            w.add("after", known_text(s.after));
            w.close();
        }
        w.close();
        w.close();
    });
}

} // namespace iscsiscope
