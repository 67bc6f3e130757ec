// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/sweep.h"

#include "sample-captures/testbed/run/commands/catalogue.h"
#include "sample-captures/testbed/run/output_folder.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace iscsiscope::testbed::run {
namespace {

std::vector<std::string> split_values(const std::string &text) {
    std::vector<std::string> values(1);
    int depth = 0;
    bool quoted = false;
    for (const char c : text) {
        quoted = c == '"' ? !quoted : quoted;
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (c == ',' && depth == 0 && !quoted)
            values.emplace_back();
        else
            values.back() += c;
    }
    return values;
}

std::string csv_field(const std::string &text) {
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

} // namespace

int sweep(const std::string &name, const std::vector<std::string> &sets, const RunOptions &options) {
    const std::vector<scenario::Override> keys = parse_overrides(sets);
    std::vector<std::vector<std::string>> values;
    std::size_t runs = 1;
    std::string table = "run";
    for (const scenario::Override &key : keys) {
        values.push_back(split_values(key.value));
        runs *= values.back().size();
        table += "," + csv_field(key.key);
    }
    table += ",exit_code\n";
    // All combinations are checked before the first one runs.
    std::vector<scenario::Scenario> scenarios;
    for (std::size_t number = 0; number < runs; ++number) {
        std::vector<scenario::Override> overrides;
        std::size_t rest = number;
        for (std::size_t i = keys.size(); i-- > 0;) { // the last key varies fastest
            overrides.insert(overrides.begin(), {keys[i].key, values[i][rest % values[i].size()]});
            rest /= values[i].size();
        }
        std::optional<scenario::Scenario> loaded = load_named(name, overrides);
        if (!loaded)
            return exit_error;
        table += fmt::format("{}", number + 1);
        for (const scenario::Override &change : overrides)
            table += "," + csv_field(change.value);
        table += fmt::format(",@{}@\n", number);
        scenarios.push_back(std::move(*loaded));
    }
    const Result<FolderLock> lock = FolderLock::take(options.folder); // for sweep.csv; each run locks its own
    if (!lock.ok()) {
        std::fprintf(stderr, "iscsiscope-testbed: %s\n", lock.failure().message.c_str());
        return exit_error;
    }
    int worst = exit_done;
    for (std::size_t number = 0; number < runs; ++number) {
        RunOptions one = options;
        one.folder = fmt::format("{}/{}", options.folder, number + 1);
        if (options.progress != ProgressStyle::jsonl)
            std::printf("run %zu of %zu\n", number + 1, runs);
        const int code = run_apart(scenarios[number], one);
        worst = std::max(worst, code);
        const std::string mark = fmt::format("@{}@", number);
        table.replace(table.find(mark), mark.size(), std::to_string(code));
        if (code == exit_interrupted)
            return code;
    }
    std::ofstream file(options.folder + "/sweep.csv", std::ios::binary);
    file << table;
    file.close();
    if (!file) {
        std::fprintf(stderr, "iscsiscope-testbed: %s/sweep.csv could not be written\n",
                     options.folder.c_str());
        return exit_error;
    }
    return worst;
}

} // namespace iscsiscope::testbed::run
