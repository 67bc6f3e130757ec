// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/read_parts.h"

#include <algorithm>

namespace iscsiscope::testbed::scenario {
namespace {

// "{target}" becomes that host's address, "{target:2}" its second; any other braces stay.
std::string fill_in(const std::string &text, const Scenario &scenario) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
        if (end != std::string::npos) {
            const std::string inner = text.substr(at + 1, end - at - 1);
            const std::size_t colon = inner.find(':');
            const auto host = host_named(scenario, inner.substr(0, colon));
            const std::string digits = colon == std::string::npos ? "1" : inner.substr(colon + 1);
            if (host && digits.size() == 1 && digits[0] >= '1' && digits[0] <= '9') {
                const auto index = static_cast<std::size_t>(digits[0] - '1');
                const auto &addresses = scenario.hosts[*host].addresses;
                if (index < addresses.size()) {
                    out += shim::to_string(addresses[index]);
                    at = end + 1;
                    continue;
                }
            }
        }
        out += text[at++];
    }
    return out;
}

std::optional<std::string> as_argument(const toml::node &value) {
    if (const auto *text = value.as_string())
        return text->get();
    if (const auto *integer = value.as_integer())
        return std::to_string(integer->get());
    if (const auto *real = value.as_floating_point())
        return fmt::format("{}", real->get());
    return std::nullopt;
}

// key = value becomes --key value; an array repeats it; true is --key alone; false leaves it out.
// known: the options that the program has; null: not known here.
void read_options(TableReader &options, const Scenario &scenario, const std::vector<std::string> *known,
                  std::vector<std::string> &arguments) {
    const auto add = [&](const std::string &key, const toml::node &value) {
        if (const auto *flag = value.as_boolean()) {
            if (flag->get())
                arguments.push_back("--" + key);
            return true;
        }
        const auto text = as_argument(value);
        if (text) {
            arguments.push_back("--" + key);
            arguments.push_back(fill_in(*text, scenario));
        }
        return text.has_value();
    };
    for (const auto &[name, value] : options.raw()) {
        const std::string key(name.str());
        options.node(key);
        if (known != nullptr && std::find(known->begin(), known->end(), key) == known->end())
            options.mistake(key, no_such("option", key, *known));
        bool good = true;
        if (const toml::array *array = value.as_array())
            for (const toml::node &item : *array)
                good = !item.is_boolean() && add(key, item) && good;
        else
            good = add(key, value);
        if (!good) {
            options.mistake(key,
                            "expected a string, a number, true or false, or an array of strings and numbers");
        }
    }
}

void read_role(TableReader &row, Program &program) {
    if (program.run == "target") {
        program.role = Program::Role::server;
    } else if (program.run == "stream") {
        const bool listens = !program.arguments.empty() && program.arguments.front() == "listen";
        program.role = listens ? Program::Role::server : Program::Role::client;
    } else if (program.run != "initiator" && !program.run.empty()) {
        row.mistake("run", "expected \"target\", \"initiator\" or \"stream\"");
    }
}

} // namespace

void read_programs(TableReader &top, Scenario &scenario, const OptionNames &known) {
    bool client = false;
    for (TableReader &row : top.tables("program")) {
        Program program;
        const std::string host = row.require_text("host");
        if (const auto index = host_named(scenario, host))
            program.host = *index;
        else if (!host.empty())
            row.mistake("host", no_such_host(scenario, host));
        program.run = row.require_text("run");
        for (const std::string &argument : row.texts("arguments"))
            program.arguments.push_back(fill_in(argument, scenario));
        read_role(row, program);
        if (auto options = row.table("options")) {
            const auto names = known.find(program.run);
            read_options(*options, scenario, names != known.end() ? &names->second : nullptr,
                         program.arguments);
        }
        program.start = row.duration("start").value_or(Duration{0});
        if (row.has("start") && program.role == Program::Role::server)
            row.mistake("start", "only a client starts later: servers are ready before time zero");
        program.name = row.text("name").value_or(fmt::format("{}-{}", host, scenario.programs.size() + 1));
        const auto same = [&program](const Program &other) { return other.name == program.name; };
        if (!is_plain_name(program.name) ||
            std::any_of(scenario.programs.begin(), scenario.programs.end(), same))
            row.mistake("name", "must be unique, and of letters, digits, - and _ only");
        row.refuse_the_rest();
        client = client || program.role == Program::Role::client;
        scenario.programs.push_back(std::move(program));
    }
    if (!client) {
        top.mistake("program",
                    "no client runs: a [[program]] with run = \"initiator\" (or \"stream\") is needed");
    }
}

} // namespace iscsiscope::testbed::scenario
