// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/read_parts.h"

#include <algorithm>

namespace iscsiscope::testbed::scenario {
namespace {

void read_capture(TableReader &top, Scenario &scenario) {
    auto capture = top.table("capture");
    if (!capture)
        return;
    if (const auto framing = capture->text("framing")) {
        if (*framing == "raw")
            scenario.capture.framing = shim::CaptureFraming::raw;
        else if (*framing != "ethernet")
            capture->mistake("framing", "expected \"ethernet\" or \"raw\"");
    }
    if (const auto snap = capture->bytes("snap")) {
        if (*snap < 60 || *snap > 65535) {
            capture->mistake("snap",
                             "expected 60 to 65535 bytes from the IP header on; leave it out to keep all");
        } else {
            scenario.capture.snap_length = static_cast<std::uint32_t>(*snap);
        }
    }
    capture->refuse_the_rest();
}

void read_top(TableReader &top, Scenario &scenario, const std::string &default_name) {
    scenario.name = top.text("name").value_or(default_name);
    if (!is_plain_name(scenario.name))
        top.mistake("name", "expected letters, digits, - and _: it goes into file names");
    scenario.description = top.text("description").value_or("");
    if (const auto seed = top.integer("seed", 0, std::numeric_limits<std::int64_t>::max()))
        scenario.network.seed = static_cast<std::uint64_t>(*seed);
    const std::string carrier = top.text("carrier").value_or("auto");
    if (carrier == "tun" || carrier == "veth")
        scenario.carrier = carrier == "tun" ? Carrier::tun : Carrier::veth;
    else if (carrier != "auto")
        top.mistake("carrier", "expected \"auto\", \"tun\" or \"veth\"");
    scenario.duration = top.duration("duration");
    scenario.expected = top.duration("expected_duration");
    scenario.stall_bound = top.duration("stall_bound").value_or(scenario.stall_bound);
    read_capture(top, scenario);
}

// The first line with a byte beyond ASCII that is not a comment as a whole, or 0. Nothing in a scenario
// needs one, and toml++ 3.3 does not survive all of them in a key or behind a backslash (U+FEC6 to U+FEFF).
// Where there are strings of several lines, what looks like a comment may be part of one.
std::uint32_t beyond_ascii(const std::string &text) {
    const bool comments_reliable = text.find("\"\"\"") == text.npos && text.find("'''") == text.npos;
    std::uint32_t line = 1;
    char first = 0; // of the line, blanks aside
    for (const char c : text) {
        if (c == '\n') {
            ++line;
            first = 0;
            continue;
        }
        if (first == 0 && c != ' ' && c != '\t')
            first = c;
        if ((first != '#' || !comments_reliable) && static_cast<unsigned char>(c) >= 0x80)
            return line;
    }
    return 0;
}

} // namespace

Loaded load_scenario(const std::string &text, const std::string &default_name,
                     const std::vector<Override> &overrides, const OptionNames &known) {
    Loaded loaded;
    if (const std::uint32_t line = beyond_ascii(text)) {
        loaded.mistakes.push_back(
            {line, "", "letters beyond ASCII may stand only in lines that are comments"});
        return loaded;
    }
    toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
        loaded.mistakes.push_back(
            {parsed.error().source().begin.line, "", std::string(parsed.error().description())});
        return loaded;
    }
    toml::table &table = parsed.table();
    Scenario scenario;
    scenario.text = text;
    for (const Override &change : overrides) {
        apply_override(table, change, loaded.mistakes);
        scenario.text += fmt::format("{}# --set {}={}\n", scenario.text.ends_with('\n') ? "" : "\n",
                                     change.key, change.value);
    }
    TableReader top(table, "", loaded.mistakes);
    read_top(top, scenario, default_name);
    read_hosts(top, scenario);
    read_links(top, scenario);
    read_paths(top, scenario);
    read_taps(top, scenario);
    read_programs(top, scenario, known);
    top.refuse_the_rest();
    std::stable_sort(loaded.mistakes.begin(), loaded.mistakes.end(),
                     [](const Mistake &a, const Mistake &b) { return a.line < b.line; });
    if (loaded.mistakes.empty())
        loaded.scenario = std::move(scenario);
    return loaded;
}

} // namespace iscsiscope::testbed::scenario
