// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/catalogue.h"

#include "analyzer/base/json_row.h"
#include "sample-captures/testbed/run/commands/program_options.h"
#include "sample-captures/testbed/run/run_scenario.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace iscsiscope::testbed::run {
namespace {

namespace fs = std::filesystem;

// Where bundled scenarios lie: a folder of the user's choice, beside the installed program, or in the folder
// that the build was given, which is the source tree where nothing else was said.
std::vector<fs::path> scenario_folders() {
    std::vector<fs::path> folders;
    if (const char *chosen = std::getenv("ISCSISCOPE_SCENARIOS"))
        folders.emplace_back(chosen);
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error)
        folders.push_back(program.parent_path().parent_path() / "share/iscsiscope/scenarios");
    folders.emplace_back(ISCSISCOPE_SCENARIO_FOLDER);
    return folders;
}

std::optional<fs::path> find_scenario(const std::string &name) {
    std::error_code error;
    if (fs::is_regular_file(name, error))
        return fs::path(name);
    for (const fs::path &folder : scenario_folders()) {
        const fs::path path = folder / (name + ".toml");
        if (fs::is_regular_file(path, error))
            return path;
    }
    return std::nullopt;
}

// The file's mistakes are printed; true if there is none.
bool load(const std::string &name, const std::vector<scenario::Override> &overrides,
          scenario::Loaded &loaded) {
    const std::optional<fs::path> path = find_scenario(name);
    std::ifstream file;
    if (path)
        file.open(*path, std::ios::binary);
    if (!path || !file) {
        std::fprintf(stderr,
                     "iscsiscope-testbed: there is no scenario file and no bundled scenario \"%s\" "
                     "(iscsiscope-testbed list names those)\n",
                     name.c_str());
        return false;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    loaded = scenario::load_scenario(text, path->stem().string(), overrides, program_options());
    for (const scenario::Mistake &mistake : loaded.mistakes) {
        const std::string line = mistake.line > 0 ? std::to_string(mistake.line) + ":" : "";
        const std::string key = mistake.key.empty() ? "" : mistake.key + ": ";
        std::fprintf(stderr, "%s:%s %s%s\n", path->c_str(), line.c_str(), key.c_str(),
                     mistake.message.c_str());
    }
    return loaded.mistakes.empty();
}

template <class Items>
std::string names_of(const Items &items) {
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const auto &item : items)
        names.push_back(item.name);
    return json_array(names);
}

// Prints the line of one scenario; false if it has mistakes, which are printed by load().
bool list_one(const std::string &name, const std::string &file, bool as_json) {
    scenario::Loaded loaded;
    const bool good = load(file, {}, loaded);
    const std::string description = good ? loaded.scenario->description : "(has mistakes)";
    if (!as_json) {
        std::printf("%-32s %s\n", name.c_str(), description.c_str());
    } else if (good) {
        const shim::NetworkConfig &network = loaded.scenario->network;
        JsonObject row;
        row.text("scenario", name).text("description", description);
        row.json("hosts", names_of(loaded.scenario->hosts)).json("taps", names_of(network.taps));
        std::puts(row.json("links", names_of(network.links)).str().c_str());
    }
    return good;
}

} // namespace

std::optional<std::string> scenario_file(const std::string &name) {
    const std::optional<fs::path> path = find_scenario(name);
    return path ? std::optional(fs::absolute(*path).string()) : std::nullopt;
}

std::optional<std::string> bundled_file(const std::string &path) {
    std::error_code error;
    for (const fs::path &folder : scenario_folders())
        if (fs::is_regular_file(folder / path, error))
            return (folder / path).string();
    return std::nullopt;
}

std::vector<scenario::Override> parse_overrides(const std::vector<std::string> &sets) {
    std::vector<scenario::Override> all;
    for (const std::string &set : sets) {
        const std::size_t equals = set.find('=');
        all.push_back({set.substr(0, equals), equals == std::string::npos ? "" : set.substr(equals + 1)});
    }
    return all;
}

std::optional<scenario::Scenario> load_named(const std::string &name,
                                             const std::vector<scenario::Override> &overrides) {
    scenario::Loaded loaded;
    return load(name, overrides, loaded) ? std::move(loaded.scenario) : std::nullopt;
}

int list_scenarios(const std::vector<std::string> &names, bool as_json) {
    bool good = true;
    for (const std::string &name : names)
        good = list_one(name, name, as_json) && good;
    if (!names.empty())
        return good ? exit_done : exit_error;
    for (const fs::path &folder : scenario_folders()) {
        std::vector<fs::path> files;
        std::error_code error;
        for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error))
            if (it->path().extension() == ".toml")
                files.push_back(it->path());
        if (files.empty())
            continue;
        std::sort(files.begin(), files.end());
        for (const fs::path &path : files)
            list_one(path.lexically_relative(folder).replace_extension().string(), path.string(), as_json);
        return exit_done;
    }
    std::fprintf(stderr, "iscsiscope-testbed: no bundled scenarios were found\n");
    return exit_error;
}

int check_scenarios(const std::vector<std::string> &names) {
    bool good = true;
    for (const std::string &name : names) {
        scenario::Loaded loaded;
        if (load(name, {}, loaded))
            std::printf("%s: no mistakes\n", name.c_str());
        else
            good = false;
    }
    return good ? exit_done : exit_error;
}

} // namespace iscsiscope::testbed::run
