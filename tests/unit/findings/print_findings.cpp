// SPDX-License-Identifier: GPL-2.0-or-later
// print_findings [-v] [--set LEVER=NUMBER]... FILE...: first finding and first problem of each; -v: all
// findings, waits by cause and what is ruled out; --set: measured and predicted throughput, bytes/s (numbers
// are bytes, nanoseconds, shares and counts).
#include "analyzer/base/number_format.h"
#include "findings/look.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace iscsiscope;

namespace {

void print_all(const Look &look) {
    std::fputs(printed(look).c_str(), stdout);
    for (const ConnectionFacts &c : look.facts.connections)
        for (const auto &[key, w] : c.waits)
            std::printf("    stream %llu %s of %s: %s in %llu\n",
                        static_cast<unsigned long long>(c.record.stream.number), name(key.cause).data(),
                        name(key.owner).data(), human::duration(w.time).c_str(),
                        static_cast<unsigned long long>(w.count));
    for (const ConnectionFacts &c : look.facts.connections)
        for (const auto *d : {&c.to_target, &c.to_initiator})
            if (*d) {
                std::printf(
                    "    %s: flight %llu plateau %llu queue %s window_full %s nagle %llu held %llu, limits",
                    d == &c.to_target ? "to target" : "to initiator",
                    static_cast<unsigned long long>((*d)->largest_flight),
                    static_cast<unsigned long long>((*d)->send_plateau.value_or(0)),
                    human::duration((*d)->queue_delay.median.value_or(Duration{})).c_str(),
                    human::duration((*d)->window_full.total).c_str(),
                    static_cast<unsigned long long>((*d)->nagle.count),
                    static_cast<unsigned long long>((*d)->delayed_acks_costly.count));
                for (const Duration limit : (*d)->limit_time)
                    std::printf(" %s", human::duration(limit).c_str());
                std::printf("\n");
            }
    for (const ModelInput &m : look.facts.models) {
        const ModelledCycle c = model_cycle(m);
        std::printf(
            "    model %s: %llu tasks of %.0f, depth %.2f, C %.0f, rtt %.3f ms, s %.3f ms, think %.3f ms, T "
            "%.2f MB/s%s, W %.0f, p %.5f, U %.0f M %.0f R %.0f held %.3f ms: cycle %.3f ms measured "
            "(%+.1f %%), %.3f MB/s measured (%+.1f %%), %s\n",
            m.type == TaskType::read ? "read" : "write", static_cast<unsigned long long>(m.tasks), m.block,
            m.depth, m.connections, m.rtt / 1e6, m.service / 1e6, m.think / 1e6,
            m.path_rate.value_or(0) / 1e6, m.rate_is_lower_bound ? " at least" : "", m.window.value_or(0),
            m.loss.value_or(0), m.unsolicited, m.burst, m.r2ts_outstanding, m.held_time / 1e6,
            m.measured_cycle / 1e6, c.cycle_error * 100, m.measured_throughput / 1e6,
            c.throughput_error * 100, std::string(name(c.bottleneck)).c_str());
    }
    for (const RuledOut &r : look.result.ruled_out)
        std::printf("    not %s: %s\n", std::string(name(r.kind)).c_str(), r.why_not.c_str());
}

bool read_change(std::string_view text, Change &change) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return false;
    for (int l = 0; l <= static_cast<int>(SettingName::no_delay); ++l)
        if (name(static_cast<SettingName>(l)) == text.substr(0, equals)) {
            change = {static_cast<SettingName>(l), std::atof(std::string(text.substr(equals + 1)).c_str())};
            return true;
        }
    return false;
}

void print_prediction(const Look &look, const std::vector<Change> &changes) {
    if (look.facts.models.empty())
        return;
    const Prediction p = predict(look.facts.models.front(), changes);
    std::printf("prediction: measured %.0f modelled %.0f predicted %.0f low %.0f high %.0f\n", p.measured,
                p.modelled, p.predicted, p.low, p.high);
    for (const std::string &r : p.remarks)
        std::printf("  remark: %s\n", r.c_str());
}

} // namespace

int main(int argc, char **argv) {
    bool verbose = false;
    std::vector<Change> changes;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "-v") {
            verbose = true;
            continue;
        }
        if (std::string_view(argv[i]) == "--set" && i + 1 < argc) {
            Change change;
            if (!read_change(argv[++i], change)) {
                std::fprintf(stderr, "print_findings: --set %s: not a setting\n", argv[i]);
                return 2;
            }
            changes.push_back(change);
            continue;
        }
        const auto look = look_at(argv[i]);
        if (!look) {
            std::printf("%s: cannot be read\n", argv[i]);
            continue;
        }
        std::string all;
        for (const Finding &f : look->result.findings)
            all += (all.empty() ? "" : ",") + std::string(name(f.kind));
        std::printf("%s: first %s, problem %s, all %s\n", argv[i], look->first().c_str(),
                    look->first_problem().c_str(), all.empty() ? "none" : all.c_str());
        if (verbose)
            print_all(*look);
        if (!changes.empty())
            print_prediction(*look, changes);
    }
}
