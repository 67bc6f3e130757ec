// SPDX-License-Identifier: GPL-2.0-or-later
// Captures whose cause is known → the finding that must be first. What was done is told by
// sample-captures/README.md and by the JSON beside each real capture.
#include "catch.h"
#include "findings/look.h"
#include "tests/support/bundle.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

using namespace iscsiscope;

namespace {

struct Expected {
    const char *capture;
    const char *first;   // "": not judged
    const char *problem; // first problem; "none": there must be none; "": not judged
};

constexpr Expected bundled[] = {
    {"command-window.initiator", "command_window", "command_window"},
    {"command-window.target", "command_window", "command_window"},
    {"delayed-ack.initiator", "delayed_ack", "delayed_ack"},
    {"delayed-ack.target", "delayed_ack", "delayed_ack"},
    {"mcs-unequal.initiator", "incast", "incast"},
    {"mcs-unequal.target", "incast", "incast"},
    {"mirror-unequal.initiator", "mirror_laggard", "mirror_laggard"},
    {"plain-read.initiator", "", "none"},
    {"plain-read.target", "", "none"},
    {"plain-write.initiator", "queue_depth", ""},
    {"r2t-ping-pong.initiator", "r2t_ping_pong", "r2t_ping_pong"},
    {"r2t-ping-pong.target", "r2t_ping_pong", "r2t_ping_pong"},
    {"read-16ms-four-gaps.initiator", "nagle", "nagle"},
    {"read-16ms-four-gaps.target", "nagle", "nagle"},
    {"read-16ms-two-gaps.initiator", "queue_depth", "none"},
    {"read-16ms-two-gaps.target", "queue_depth", "none"},
    {"slow-target.initiator", "slow_target", "slow_target"},
    {"slow-target.target", "slow_target", "slow_target"},
    {"speed-step.initiator", "incast", "incast"},
    {"speed-step.target", "incast", "incast"},
};

constexpr Expected real[] = {
    {"b_write_4MiB_256K_5ms_r2t64k.ini", "r2t_ping_pong", "r2t_ping_pong"},
    {"b_write_4MiB_256K_5ms_r2t64k.tgt", "r2t_ping_pong", "r2t_ping_pong"},
    {"d_read_4MiB_loss0.5_reno.ini", "packet_loss", "packet_loss"},
    {"d_write_4MiB_loss0.5_reno.ini", "packet_loss", "packet_loss"},
    {"d_write_4MiB_loss0.5_reno.tgt", "packet_loss", "packet_loss"},
    {"f_raid1_write_0ms_25ms.ini-any", "mirror_laggard", "mirror_laggard"},
    {"g_4sessions_write_20mbit_drops.ini", "incast", "incast"},
    {"l_blackout_noop_relogin.ini", "nop_timeout", "nop_timeout"},
    // Cut so short that 92 % of its bytes could not be read: this first, the losses behind it.
    {"n_cwnd_write_reno_20mbit.ini", "capture_quality", "capture_quality"},
    {"z01_clean_read.ini", "", "none"},
    {"z06_r2t_pingpong.ini", "r2t_ping_pong", "r2t_ping_pong"},
    {"z08_reordering.tgt", "reordering", "reordering"},
    {"z13_lun_reset.ini", "abort_storm", "abort_storm"},
    {"z19_application_think_time.ini", "application_idle", "none"},
};

std::string captures_folder() {
    const char *set = std::getenv("ISCSISCOPE_CAPTURES");
    return set != nullptr ? set : std::string(ISCSISCOPE_SOURCE_DIR) + "/../shared/captures";
}

// Lost times are those of gaps and transfer: no more than there is, none negative.
void check_invariants(const Look &look) {
    Duration lost{};
    for (const Finding &f : look.result.findings) {
        CHECK(f.lost_time >= Duration{});
        CHECK(!f.title.empty());
        CHECK(!f.sentence.empty());
        CHECK(!f.remedy.empty());
        CHECK(f.evidence.size() <= 8);
        lost += f.lost_time;
    }
    CHECK(lost <= look.result.busy);
    CHECK(lost <= look.result.explained);
    CHECK(look.result.findings.size() + look.result.ruled_out.size() == finding_kind_count);
    for (const RuledOut &r : look.result.ruled_out)
        CHECK(!r.why_not.empty());
    // Every entry of the ledger is in the facts once, and an owner is blamed for no more than it has.
    OwnerTimes all, blamed;
    for (const ConnectionFacts &c : look.facts.connections) {
        Duration busy = c.runs.sum();
        for (const auto &[key, w] : c.waits)
            busy += w.time;
        if (c.record.busy()) {
            CHECK(busy == *c.record.busy());
            all += c.record.owners;
        } else {
            all[Owner::unknown] += busy;
        }
    }
    for (const Finding &f : look.result.findings) {
        CHECK(f.owners.sum() <= f.lost_time);
        blamed += f.owners;
    }
    for (std::size_t i = 0; i < owner_count; ++i)
        CHECK(blamed.parts[i] <= all.parts[i]);
}

// Returns the number with its unit that follows these words, in bytes, bytes per second or seconds; NaN:
// none.
double figure_behind(const std::string &sentence, const std::string &words) {
    const std::size_t at = sentence.find(words);
    if (at == std::string::npos)
        return std::nan("");
    std::istringstream text(sentence.substr(at + words.size()));
    double number = 0;
    std::string unit;
    text >> number >> unit;
    unit = unit.substr(0, unit.find_first_of(")/."));
    static const std::map<std::string, double> units{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1},
                                                     {"B", 1},     {"kB", 1e3},  {"MB", 1e6},  {"GB", 1e9}};
    const auto scale = units.find(unit);
    return scale == units.end() ? std::nan("") : number * scale->second;
}

// The path's rate times the round trip is what fills it, by the numbers that the reader sees.
void check_arithmetic(const Look &look) {
    const Finding *f = look.result.find(FindingKind::queue_depth);
    if (f == nullptr || f->sentence.find("Filling the path") == std::string::npos)
        return;
    const double trip = figure_behind(f->sentence, "(round trip "),
                 rate = figure_behind(f->sentence, "Filling the path ("),
                 bytes = figure_behind(f->sentence, " takes ");
    INFO(f->sentence);
    CHECK(std::abs(trip * rate / bytes - 1) < 0.1);
}

void run(const Expected &e, const std::string &path) {
    const auto look = look_at(path);
    REQUIRE(look);
    std::printf("%-36s %-18s %s\n", e.capture, look->first().c_str(), look->first_problem().c_str());
    INFO(e.capture << "\n" << printed(*look));
    if (*e.first != '\0')
        CHECK(look->first() == e.first);
    if (*e.problem != '\0')
        CHECK(look->first_problem() == e.problem);
    check_invariants(*look);
    check_arithmetic(*look);
}

} // namespace

TEST_CASE("bundled captures show their cause first") {
    for (const Expected &e : bundled)
        run(e, test::bundled(std::string(e.capture) + ".pcapng.zst"));
    std::printf("FIGURE: findings, bundled captures judged: %zu\n", std::size(bundled));
}

TEST_CASE("real captures show their cause first") {
    const std::string folder = captures_folder();
    if (!std::filesystem::is_directory(folder)) {
        std::printf("SKIPPED: no real captures in %s\n", folder.c_str());
        return;
    }
    for (const Expected &e : real)
        run(e, folder + "/" + e.capture + ".pcap.zst");
    std::printf("FIGURE: findings, real captures judged: %zu\n", std::size(real));
}

TEST_CASE("numbers of one sentence fit each other in all real captures") {
    const std::string folder = captures_folder();
    if (!std::filesystem::is_directory(folder)) {
        std::printf("SKIPPED: no real captures in %s\n", folder.c_str());
        return;
    }
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".zst")
            continue;
        INFO(entry.path().filename().string());
        const auto look = look_at(entry.path().string());
        REQUIRE(look);
        check_arithmetic(*look);
    }
}
