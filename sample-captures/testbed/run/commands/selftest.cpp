// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/selftest.h"

#include "sample-captures/testbed/run/commands/capture_check.h"
#include "sample-captures/testbed/run/run_scenario.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

// Bounds: what the table's last column is judged by.
constexpr double min_goodput_share = 0.99;
constexpr std::int64_t max_median_error_ns = 150'000; // of the delay; its p99 depends on the machine's load
constexpr double shared_tolerance = 0.05;

const PathEnd initiator{"initiator", (10U << 24U) | (77U << 16U) | 1U};
const PathEnd target{"target", (10U << 24U) | (77U << 16U) | 2U};

// What all runs of this test need to know.
struct Bench {
    std::string folder;
    std::string carrier;
    bool force_user = false;
    int repetitions = 3;
    bool quick = false;
    bool good = true;
    bool interrupted = false;
};

constexpr const char *two_hosts = R"(
name = "selftest"
seed = 3
carrier = "{carrier}"
stall_bound = "1min" # what stalls do to the figures is the point here
duration = "60s"
[[host]]
name = "initiator"
send_buffer = "4MiB"
[[host]]
name = "target"
receive_buffer = "4MiB"
[[path]]
between = ["initiator", "target"]
links = ["wan"]
[[link]]
name = "wan"
{link}
[[program]]
host = "target"
run = "stream"
arguments = ["listen", "--port", "5001"{echo}]
[[program]]
host = "initiator"
run = "stream"
arguments = {arguments}
)";

// Two senders on one host or on two; one link or one each.
constexpr const char *two_flows = R"(
name = "selftest"
seed = 3
carrier = "{carrier}"
stall_bound = "1min"
duration = "60s"
[[host]]
name = "one"
[[host]]
name = "two"
[[host]]
name = "target"
[[link]]
name = "a"
delay = "2ms"
rate = "{rate}Mbit/s"
queue_packets = 200
[[link]]
name = "b"
delay = "2ms"
rate = "{rate}Mbit/s"
queue_packets = 200
[[path]]
between = ["one", "target"]
links = ["a"]
[[path]]
between = ["two", "target"]
links = ["{second}"]
[[program]]
host = "target"
run = "stream"
arguments = ["listen"]
options = {{ port = 5001 }}
[[program]]
host = "one"
run = "stream"
arguments = ["send", "--to", "{{target}}:5001", "--time", "{time}s"]
[[program]]
host = "two"
run = "stream"
arguments = ["send", "--to", "{{target}}:5001", "--time", "{time}s"]
)";

// False if there is nothing to measure.
bool carry_out(Bench &bench, const std::string &text) {
    const scenario::Loaded loaded = scenario::load_scenario(text, "selftest", {});
    for (const scenario::Mistake &mistake : loaded.mistakes) {
        std::fprintf(stderr, "selftest: line %u: %s: %s\n", mistake.line, mistake.key.c_str(),
                     mistake.message.c_str());
    }
    RunOptions options;
    options.folder = bench.folder;
    options.quiet = true;
    options.force_user_namespace = bench.force_user;
    // A run that is not valid still has its captures: the table judges them.
    const int code =
        loaded.scenario && !bench.interrupted ? run_apart(*loaded.scenario, options) : exit_error;
    bench.interrupted = bench.interrupted || code == exit_interrupted;
    bench.good = bench.good && code <= exit_not_valid;
    return code <= exit_not_valid;
}

// The median round trip as the pinging program saw it.
Result<std::int64_t> ping_median(const std::string &prefix) {
    std::ifstream file(prefix + ".truth.jsonl");
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t at = line.find("\"p50_ns\":");
        if (line.rfind("{\"row\":\"ping\"", 0) == 0 && at != std::string::npos)
            return std::int64_t{std::strtoll(line.c_str() + at + 9, nullptr, 10)};
    }
    return Failure{"no ping in the truth"};
}

std::string verdict(Bench &bench, bool good) {
    bench.good = bench.good && good;
    return good ? "ok" : "FAILED";
}

std::int64_t median(const std::vector<std::int64_t> &values) {
    return quantile_of(values, 0.5);
}

void delays(Bench &bench) {
    std::printf(
        "\nDelay error at %s: capture to capture, less the set delay, both directions, %d run(s) each\n"
        "  one-way delay     median      p99  (medians of the runs)   ping beyond 2 delays\n",
        bench.carrier.c_str(), bench.repetitions);
    const std::vector<double> all = {0.14, 1, 2, 4, 8, 16, 50};
    const std::vector<double> few = {0.14, 2, 16};
    for (const double delay_ms : bench.quick ? few : all) {
        std::vector<std::int64_t> medians;
        std::vector<std::int64_t> tails;
        std::vector<std::int64_t> excess;
        const auto delay_ns = static_cast<std::int64_t>(std::llround(delay_ms * 1e6));
        for (int repetition = 0; repetition < bench.repetitions; ++repetition) {
            const int count = delay_ms > 20 ? 50 : 150;
            const std::string arguments = fmt::format(
                R"(["ping", "--to", "{{target}}:5001", "--count", "{}", "--interval", "2ms"])", count);
            const std::string prefix = bench.folder + "/selftest";
            if (!carry_out(bench,
                           fmt::format(two_hosts, fmt::arg("carrier", bench.carrier),
                                       fmt::arg("echo", ", \"--echo\""),
                                       fmt::arg("link", fmt::format("delay = \"{}us\"", delay_ns / 1000)),
                                       fmt::arg("arguments", arguments))))
                return;
            std::vector<std::int64_t> errors;
            for (const auto &[from, to] : {std::pair{initiator, target}, std::pair{target, initiator}}) {
                const Result<PathCheck> check = check_path(prefix, from, to);
                if (!check.ok()) {
                    std::fprintf(stderr, "selftest: %s\n", check.failure().message.c_str());
                    bench.good = false;
                    return;
                }
                for (const std::int64_t transit : check.value().transit_ns)
                    errors.push_back(transit - delay_ns);
            }
            medians.push_back(quantile_of(errors, 0.5));
            tails.push_back(quantile_of(errors, 0.99));
            const Result<std::int64_t> ping = ping_median(prefix);
            excess.push_back(ping.ok() ? ping.value() - 2 * delay_ns : 0);
        }
        const bool good = std::abs(median(medians)) <= max_median_error_ns;
        std::printf("  %8.2f ms    %8.1f us %8.1f us %28.1f us  %s\n", delay_ms,
                    double(median(medians)) / 1e3, double(median(tails)) / 1e3, double(median(excess)) / 1e3,
                    verdict(bench, good).c_str());
    }
}

void goodput(Bench &bench) {
    const int seconds = bench.quick ? 4 : 15;
    const double rate_mbit = 100.0;
    // 1500-byte packets carry 1448 bytes: IP 20, TCP 20 and 12 of time stamps.
    const double theory = rate_mbit * 1e6 / 8 * 1448 / 1500;
    std::vector<std::int64_t> rates;
    PathCheck total;
    for (int repetition = 0; repetition < bench.repetitions; ++repetition) {
        const std::string arguments = fmt::format(
            R"(["send", "--to", "{{target}}:5001", "--congestion", "reno", "--time", "{}s"])", seconds);
        const std::string link = "delay = \"5ms\"\nrate = \"100Mbit/s\"\nforward = { queue_packets = 500 }";
        if (!carry_out(bench,
                       fmt::format(two_hosts, fmt::arg("carrier", bench.carrier), fmt::arg("link", link),
                                   fmt::arg("echo", ""), fmt::arg("arguments", arguments))))
            return;
        const std::string prefix = bench.folder + "/selftest";
        // From the first second on: slow start is not the link's doing.
        const Result<double> rate =
            acknowledged_rate(prefix, "target", 1'000'000'000, std::int64_t{seconds} * 1'000'000'000);
        rates.push_back(rate.ok() ? static_cast<std::int64_t>(rate.value()) : 0);
        for (const auto &[from, to] : {std::pair{initiator, target}, std::pair{target, initiator}}) {
            const Result<PathCheck> check = check_path(prefix, from, to);
            if (check.ok()) {
                total.sent += check.value().sent;
                total.arrived += check.value().arrived;
                total.missing += check.value().missing;
                total.logged += check.value().logged;
                total.missing_not_logged += check.value().missing_not_logged;
                total.logged_not_missing += check.value().logged_not_missing;
                total.out_of_nothing += check.value().out_of_nothing;
            }
        }
    }
    const double share = static_cast<double>(median(rates)) / theory;
    std::printf("\nLong reno flow, 100 Mbit/s, queue 500 packets, RTT 10 ms, %s: %.3f of %.3f MB/s = %.2f %%"
                " (median of %d)  %s\n",
                bench.carrier.c_str(), double(median(rates)) / 1e6, theory / 1e6, share * 100,
                bench.repetitions, verdict(bench, share >= min_goodput_share).c_str());
    const std::uint64_t disagreements =
        total.missing_not_logged + total.logged_not_missing + total.out_of_nothing;
    std::printf(
        "Drop log against the captures of these runs: %llu packets sent, %llu arrived, %llu missing,"
        " %llu in the log, %llu disagreements  %s\n",
        static_cast<unsigned long long>(total.sent), static_cast<unsigned long long>(total.arrived),
        static_cast<unsigned long long>(total.missing), static_cast<unsigned long long>(total.logged),
        static_cast<unsigned long long>(disagreements),
        verdict(bench, disagreements == 0 && total.missing > 0 && total.missing == total.logged).c_str());
}

void sharing(Bench &bench) {
    const double rate = bench.quick ? 20 : 100;
    const int seconds = bench.quick ? 3 : 6;
    std::printf("\nTwo flows, links of %.0f Mbit/s, %s\n", rate, bench.carrier.c_str());
    for (const char *second : {"a", "b"}) {
        std::vector<std::int64_t> sums;
        for (int repetition = 0; repetition < bench.repetitions; ++repetition) {
            if (!carry_out(bench,
                           fmt::format(two_flows, fmt::arg("carrier", bench.carrier), fmt::arg("rate", rate),
                                       fmt::arg("second", second), fmt::arg("time", seconds))))
                return;
            const Result<double> sum = acknowledged_rate(bench.folder + "/selftest", "target", 1'000'000'000,
                                                         std::int64_t{seconds} * 1'000'000'000);
            sums.push_back(sum.ok() ? static_cast<std::int64_t>(sum.value()) : 0);
        }
        const bool shared = *second == 'a';
        const double expected = rate * 1448 / 1500 * (shared ? 1 : 2);
        const double measured = static_cast<double>(median(sums)) * 8 / 1e6;
        std::printf("  %-12s %7.2f Mbit/s together, %7.2f expected  %s\n",
                    shared ? "one link" : "a link each", measured, expected,
                    verdict(bench, std::abs(measured / expected - 1) <= shared_tolerance).c_str());
    }
}

} // namespace

int selftest_shim(bool quick, bool force_user_namespace) {
    std::string folder = (std::filesystem::temp_directory_path() / "iscsiscope-selftest-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) {
        std::perror("selftest: a temporary folder");
        return exit_error;
    }
    bool good = true;
    bool any = false;
    bool interrupted = false;
    for (const char *carrier : {"tun", "veth"}) {
        Bench bench;
        bench.folder = folder;
        bench.carrier = carrier;
        bench.force_user = force_user_namespace;
        bench.quick = quick;
        bench.repetitions = quick ? 1 : 3;
        if (bench.carrier == "tun" && (::access("/dev/net/tun", R_OK | W_OK) != 0 || force_user_namespace)) {
            std::printf("tun: /dev/net/tun is not open to this user\n");
            continue;
        }
        any = true;
        delays(bench);
        goodput(bench);
        sharing(bench);
        good = good && bench.good;
        interrupted = bench.interrupted;
        if (interrupted)
            break;
    }
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    if (interrupted)
        return exit_interrupted;
    std::printf("\n%s\n", good ? "All within bounds." : "NOT all within bounds (is the machine busy?).");
    return !any ? exit_error : good ? exit_done : exit_not_valid;
}

} // namespace iscsiscope::testbed::run
