// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/python_studies.h"

#include "sample-captures/testbed/run/commands/catalogue.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace iscsiscope::testbed::papers {
namespace {

namespace fs = std::filesystem;

std::vector<char *> arguments_of(std::vector<std::string> &words) {
    std::vector<char *> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string &word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Whether the program runs and has the modules; what it prints is dropped.
bool has_modules(const std::string &python) {
    posix_spawn_file_actions_t actions;
    if (::posix_spawn_file_actions_init(&actions) != 0)
        return false;
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<std::string> words{python, "-c", "import matplotlib, numpy, pandas, tomllib"};
    pid_t child = 0;
    const bool started =
        ::posix_spawnp(&child, python.c_str(), &actions, nullptr, arguments_of(words).data(), environ) == 0;
    ::posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    return started && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

Result<PythonStudies> PythonStudies::find() {
    PythonStudies found;
    // The package lies beside the bundled scenarios.
    const auto main = run::bundled_file("../studies/__main__.py");
    if (!main)
        return Failure{"the Python package of the studies was not found beside the bundled scenarios"};
    std::error_code error;
    found.package_ = fs::canonical(*main, error).parent_path();
    std::vector<std::string> candidates{"python3", "/usr/bin/python3"};
    if (const char *chosen = std::getenv("ISCSISCOPE_PYTHON"))
        candidates = {chosen};
    const auto good = std::find_if(candidates.begin(), candidates.end(), has_modules);
    if (good == candidates.end()) {
        return Failure{
            "the studies need Python 3.11 or later with matplotlib, NumPy and pandas (Debian: python3 "
            "python3-matplotlib python3-numpy python3-pandas); tried: " +
            candidates.front() + (candidates.size() > 1 ? ", " + candidates.back() : "") +
            " (ISCSISCOPE_PYTHON names another)"};
    }
    found.python_ = *good;
    return found;
}

std::string PythonStudies::become(const PythonRun &run) const {
    std::error_code error;
    std::string path = fs::path(package_).parent_path().string();
    if (const char *before = std::getenv("PYTHONPATH"))
        path += std::string(":") + before;
    ::setenv("PYTHONPATH", path.c_str(), 1);
    ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    ::setenv("ISCSISCOPE_TESTBED", fs::read_symlink("/proc/self/exe", error).c_str(), 1);
    std::vector<std::string> words{
        python_, "-m", "studies", "-o", run.folder, "--seed", std::to_string(run.seed)};
    if (run.quick)
        words.emplace_back("--quick");
    if (run.keep)
        words.emplace_back("--keep-captures");
    words.insert(words.end(), run.names.begin(), run.names.end());
    ::execvp(python_.c_str(), arguments_of(words).data());
    return python_ + " could not be started: " + std::strerror(errno);
}

} // namespace iscsiscope::testbed::papers
