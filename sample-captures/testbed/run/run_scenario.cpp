// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/run_scenario.h"

#include "analyzer/base/json_row.h"
#include "sample-captures/testbed/net/truth_rows.h"
#include "sample-captures/testbed/run/conductor.h"
#include "sample-captures/testbed/run/host_setup.h"
#include "sample-captures/testbed/run/output_folder.h"
#include "sample-captures/testbed/run/run_signals.h"
#include "sample-captures/testbed/run/truth_merge.h"

#include <csignal>
#include <cstdio>
#include <sys/utsname.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {

int report(const Failure &failure) {
    std::fprintf(stderr, "iscsiscope-testbed: %s\n", failure.message.c_str());
    return exit_error;
}

namespace {

// The captures of a run, in the order hosts, taps; null where none is asked for.
struct Captures {
    shim::DiskWriter disk;
    std::vector<std::unique_ptr<shim::PcapngWriter>> hosts;
    std::vector<std::unique_ptr<shim::PcapngWriter>> taps;
    std::vector<std::string> files;
};

Result<std::unique_ptr<shim::PcapngWriter>> open_capture(const scenario::Scenario &scenario,
                                                         Captures &captures, const OutputFolder &folder,
                                                         const std::string &place,
                                                         const std::string &description) {
    const std::string file = fmt::format("{}.{}.pcapng", scenario.name, place);
    Result<shim::PcapngWriter> writer = shim::PcapngWriter::create(
        folder.temporary(file), scenario.capture, scenario.text, place, description, captures.disk);
    if (!writer.ok())
        return writer.failure();
    captures.files.push_back(file);
    return std::make_unique<shim::PcapngWriter>(std::move(writer.value()));
}

Status open_captures(const scenario::Scenario &scenario, KindOfClock clock, const OutputFolder &folder,
                     Captures &captures) {
    const std::string remark = clock == KindOfClock::simulated ? ", in virtual time" : "";
    for (const scenario::Host &host : scenario.hosts) {
        captures.hosts.emplace_back();
        if (!host.capture)
            continue;
        auto writer = open_capture(scenario, captures, folder, host.name,
                                   fmt::format("the device of host {}{}", host.name, remark));
        if (!writer.ok())
            return writer.failure();
        captures.hosts.back() = std::move(writer.value());
    }
    for (const shim::TapConfig &tap : scenario.network.taps) {
        const std::string &link = scenario.network.links[tap.link].name;
        auto writer = open_capture(scenario, captures, folder, tap.name,
                                   fmt::format("a tap on link {}{}", link, remark));
        if (!writer.ok())
            return writer.failure();
        captures.taps.push_back(std::move(writer.value()));
    }
    return {};
}

Status close_captures(Captures &captures, shim::Shim &shim) {
    for (std::uint32_t host = 0; host < captures.hosts.size(); ++host) {
        if (captures.hosts[host] != nullptr) {
            const Result<shim::KernelLosses> lost = shim.losses(host);
            captures.hosts[host]->finish(lost.ok() ? lost.value().to_shim : 0);
        }
    }
    for (const auto &tap : captures.taps)
        tap->finish(0);
    return captures.disk.flush();
}

std::string head_row(const scenario::Scenario &scenario, const HostSet &hosts, const shim::Shim &shim,
                     const shim::Validity &verdict, KindOfClock clock) {
    utsname system{};
    ::uname(&system);
    JsonObject row;
    row.text("row", "scenario")
        .text("side", "shim")
        .text("name", scenario.name)
        .truth("valid", verdict.valid);
    row.json("reasons", json_array(verdict.reasons)).json("warnings", json_array(verdict.warnings));
    row.text("carrier", to_string(hosts.carrier)).text("clock", to_string(clock));
    row.number("seed", scenario.network.seed);
    row.number("time_zero_ns", shim.realtime_ns(shim::Instant{}));
    row.number("end_ns", shim.realtime_ns(shim.now()));
    row.number("stall_bound_ns", to_ns(scenario.stall_bound));
    row.text("kernel", fmt::format("{} {}", system.sysname, system.release));
    row.json("sysctls_not_known", json_array(hosts.unknown_sysctls)).text("scenario", scenario.text);
    return row.str();
}

std::vector<std::string> host_rows(const scenario::Scenario &scenario, shim::Shim &shim) {
    std::vector<std::string> rows;
    for (std::uint32_t i = 0; i < scenario.hosts.size(); ++i) {
        const Result<shim::KernelLosses> lost = shim.losses(i);
        JsonObject row;
        row.text("row", "host").text("side", "shim").text("host", scenario.hosts[i].name);
        row.text("address", shim::to_string(scenario.hosts[i].addresses.front()));
        if (lost.ok()) {
            row.number("kernel_dropped_to_shim", lost.value().to_shim);
            row.number("kernel_dropped_to_host", lost.value().to_host);
            row.number("checksums_left_to_hardware", lost.value().bad_checksum);
        }
        rows.push_back(row.str());
    }
    return rows;
}

} // namespace

int run_scenario(const scenario::Scenario &scenario, const RunOptions &options) {
    const sigset_t signals = run_signals();
    ::sigprocmask(SIG_BLOCK, &signals, nullptr); // taken by the conductor, one at a time
    ::signal(SIGPIPE, SIG_IGN);
    Progress progress(options.progress, scenario.name,
                      scenario.expected ? scenario.expected : scenario.duration);
    progress.phase("setting up");

    Result<OutputFolder> folder = OutputFolder::create(options.folder, scenario.name);
    if (!folder.ok())
        return report(folder.failure());
    if (const Status failure = shim::enter_private_network(options.force_user_namespace))
        return report(*failure);
    Result<HostSet> hosts = set_up_hosts(scenario);
    if (!hosts.ok())
        return report(hosts.failure());
    const KindOfClock clock = options.clock ? *options.clock : find_kind_of_clock();
    Captures captures;
    if (const Status failure = open_captures(scenario, clock, folder.value(), captures))
        return report(*failure);
    shim::Shim shim(scenario.network, std::move(hosts.value().ports), clock);
    for (std::uint32_t i = 0; i < captures.hosts.size(); ++i)
        shim.capture_at_host(i, captures.hosts[i].get());
    for (std::uint32_t i = 0; i < captures.taps.size(); ++i)
        shim.capture_at_tap(i, captures.taps[i].get());
    std::vector<std::string> names;
    for (const scenario::Host &host : scenario.hosts)
        names.push_back(host.name);

    std::vector<ProgramFiles> files;
    for (const scenario::Program &program : scenario.programs)
        files.push_back({folder.value().temporary(program.name + ".log"),
                         folder.value().temporary(program.name + ".truth.jsonl.part")});
    Conductor conductor(scenario, shim, hosts.value().spaces, files, &captures.disk, progress);
    const Outcome outcome = conductor.run();
    if (outcome.interrupted) {
        progress.end(exit_interrupted, {"interrupted"}, {});
        std::fprintf(stderr, "iscsiscope-testbed: interrupted, nothing is kept\n");
        return exit_interrupted;
    }
    for (const ProgramResult &program : outcome.programs)
        if (!program.end.empty())
            show_log(program.files.log, program.name);
    if (outcome.failure) {
        progress.end(exit_error, {outcome.failure->message}, {});
        return report(*outcome.failure);
    }
    if (const Status failure = close_captures(captures, shim)) {
        progress.end(exit_error, {failure->message}, {});
        return report(*failure);
    }

    shim::Validity verdict = shim::judge(shim, names, scenario.stall_bound);
    verdict.reasons.insert(verdict.reasons.end(), outcome.reasons.begin(), outcome.reasons.end());
    verdict.valid = verdict.reasons.empty();
    std::vector<std::string> rows = host_rows(scenario, shim);
    std::vector<TruthPart> parts;
    for (const ProgramResult &program : outcome.programs) {
        const std::string &host = scenario.hosts[program.host].name;
        parts.push_back({host, program.name, program.files.truth});
        rows.push_back(JsonObject()
                           .text("row", "program")
                           .text("side", "shim")
                           .text("program", program.name)
                           .text("host", host)
                           .text("end", program.end.empty() ? program.note : program.end)
                           .text("output", program.output)
                           .json("waited_for_processor_ns",
                                 program.waited_ns ? fmt::format("{}", *program.waited_ns) : "null")
                           .str());
    }
    const std::vector<std::string> shim_rows = shim::shim_truth_rows(shim, names);
    rows.insert(rows.end(), shim_rows.begin(), shim_rows.end());
    const std::string truth = scenario.name + ".truth.jsonl";
    if (const Status failure =
            merge_truth(folder.value().temporary(truth),
                        head_row(scenario, hosts.value(), shim, verdict, clock), parts, rows)) {
        progress.end(exit_error, {failure->message}, {});
        return report(*failure);
    }
    std::vector<std::string> made = captures.files;
    made.push_back(truth);
    const Result<std::vector<std::string>> paths = folder.value().publish(made);
    if (!paths.ok())
        return report(paths.failure());
    const int code = verdict.valid ? exit_done : exit_not_valid;
    progress.end(code, verdict.reasons, paths.value());
    for (const std::string &warning : verdict.warnings)
        std::fprintf(stderr, "iscsiscope-testbed: %s: warning: %s\n", scenario.name.c_str(), warning.c_str());
    for (const std::string &reason : verdict.reasons) {
        std::fprintf(stderr, "iscsiscope-testbed: %s: NOT VALID: %s\n", scenario.name.c_str(),
                     reason.c_str());
    }
    if (!options.quiet && options.progress != ProgressStyle::jsonl)
        for (const std::string &path : paths.value())
            std::puts(path.c_str());
    return code;
}

} // namespace iscsiscope::testbed::run
