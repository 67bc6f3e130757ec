// SPDX-License-Identifier: GPL-2.0-or-later
// Judges what runs live on this machine, as live.py beside it does: a wrong run counts only if the machine
// let it run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace iscsiscope::test {

// Processor seconds of the calling thread: what it does holds others up for at least that long, and it does
// not depend on who else runs.
inline double thread_seconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// What the machine gave to others since the object was made. Processes that this one started count as its own
// once they have ended.
class Watch {
public:
    // The measure in words; empty: the machine let the run go.
    std::string starved() const {
        const Seconds now = seconds();
        const double used = now.used - begin_.used, idle = now.idle - begin_.idle,
                     stolen = now.stolen - begin_.stolen, all = std::max(used + idle + stolen, 1e-9);
        const double others = std::max(0.0, used - (now.own - begin_.own)) / all;
        if (stolen / all <= max_stolen && (others <= max_others || idle / all >= enough_idle))
            return {};
        std::array<char, 160> words{};
        std::snprintf(words.data(), words.size(),
                      "others used %.0f %% of the processors, %.0f %% were stolen, %.0f %% idle",
                      100 * others, 100 * stolen / all, 100 * idle / all);
        return words.data();
    }

private:
    // As in live.py.
    static constexpr double max_others = 0.10, enough_idle = 0.25, max_stolen = 0.05;

    struct Seconds { // of all processors since the start; own: of this process and its ended children
        double used = 0, idle = 0, stolen = 0, own = 0;
    };
    static Seconds seconds() {
        std::ifstream file("/proc/stat");
        std::string cpu;
        std::array<double, 8> t{}; // user nice system idle iowait irq softirq steal
        file >> cpu;
        for (double &one : t)
            file >> one;
        const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
        Seconds s{(t[0] + t[1] + t[2]) / tick, (t[3] + t[4]) / tick, t[7] / tick, 0};
        for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
            rusage used{};
            ::getrusage(who, &used);
            for (const timeval &part : {used.ru_utime, used.ru_stime})
                s.own += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) / 1e6;
        }
        return s;
    }

    Seconds begin_ = seconds();
};

// What is wrong with a run; empty if nothing is, or nothing can be said. `attempt` makes the run and says
// what is wrong with it; one that was starved is made again, at most twice, and then reported as not judged.
inline std::string judge(const std::string &name, const std::function<std::string()> &attempt) {
    constexpr int repeats = 2;
    std::string measure;
    for (int number = 0; number <= repeats; ++number) {
        const Watch watch;
        std::string wrong = attempt();
        measure = watch.starved();
        if (wrong.empty() || measure.empty())
            return wrong;
        std::printf("  %s: run %d was starved (%s) and is not judged: %s\n", name.c_str(), number + 1,
                    measure.c_str(), wrong.c_str());
    }
    std::printf("NOT JUDGED: %s: %s\n", name.c_str(), measure.c_str());
    return {};
}

} // namespace iscsiscope::test
