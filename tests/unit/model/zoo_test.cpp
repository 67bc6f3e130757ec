// SPDX-License-Identifier: GPL-2.0-or-later
// The table of settings and predict on captures of real stacks: they must not contradict each other.
// In: captures with known causes, in zoo/ of $ISCSISCOPE_CAPTURES (else of the captures beside the source
// tree).
#include "catch.h"

#include "analyzer/model/model.h"
#include "analyzer/model/parse_change.h"
#include "findings/look.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace iscsiscope;

namespace {

std::filesystem::path zoo() {
    const char *given = std::getenv("ISCSISCOPE_CAPTURES");
    return (given != nullptr && *given != '\0'
                ? std::filesystem::path(given)
                : std::filesystem::path(ISCSISCOPE_SOURCE_DIR) / ".." / "shared" / "captures") /
           "zoo";
}

bool skipped() {
    if (std::filesystem::is_directory(zoo()))
        return false;
    std::printf("SKIPPED: no captures in %s (set ISCSISCOPE_CAPTURES)\n", zoo().c_str());
    return true;
}

KeyVerdict verdict(const ModelInput &in, std::string_view key) {
    for (const KeyVerdict &k : key_verdicts(in))
        if (k.key == key)
            return k;
    FAIL("no verdict on " << key);
    return {};
}

ModelInput model_of(const std::string &name) {
    const auto look = look_at((zoo() / (name + ".pcap.zst")).string());
    REQUIRE(look);
    REQUIRE(!look->facts.models.empty());
    return look->facts.models.front();
}

} // namespace

TEST_CASE("no value of a range gives more than the best one of the table") {
    if (skipped())
        return;
    constexpr SettingName settings[] = {
        SettingName::block_size,  SettingName::max_burst_length, SettingName::first_burst_length,
        SettingName::initial_r2t, SettingName::immediate_data,   SettingName::max_outstanding_r2t,
        SettingName::depth,       SettingName::connections,      SettingName::window,
        SettingName::no_delay,
    };
    std::size_t captures = 0, predictions = 0;
    for (const auto &file : std::filesystem::directory_iterator(zoo())) {
        if (file.path().extension() != ".zst")
            continue;
        const auto look = look_at(file.path().string());
        REQUIRE(look);
        ++captures;
        for (const ModelInput &in : look->facts.models) {
            // Without a change the measurement comes back.
            CHECK(predict(in, {}).predicted == Approx(in.measured_throughput).epsilon(1e-6));
            for (const SettingName setting : settings) {
                const std::string key =
                    setting == SettingName::connections ? "MaxConnections" : std::string(name(setting));
                const KeyVerdict best = verdict(in, key);
                if (!best.judged || !best.range)
                    continue;
                const auto tried = [&](double value) {
                    const Change change{setting, value};
                    const Prediction p = predict(in, std::span(&change, 1));
                    INFO(file.path().filename().string()
                         << ' ' << name(in.type) << ": " << key << '=' << value);
                    CHECK(p.predicted_change() <= best.gain + 1e-6);
                    // Beyond what the path was seen to carry only where the figure is marked as such.
                    const double seen =
                        std::max(in.measured_throughput, in.byte_share * in.path_rate.value_or(0));
                    CHECK((p.predicted <= 1.001 * seen || p.certainty == Certainty::beyond_seen));
                    ++predictions;
                    return p.predicted_change();
                };
                if (best.best)
                    CHECK(tried(*best.best) == Approx(best.gain).epsilon(1e-6));
                const bool yes_no = best.range->words == "Yes, No";
                const bool size = setting == SettingName::block_size || setting == SettingName::window ||
                                  setting == SettingName::max_burst_length ||
                                  setting == SettingName::first_burst_length;
                tried(best.range->least);
                tried(best.range->most);
                if (yes_no)
                    continue;
                for (double v = best.range->least; v <= best.range->most; v = v * 1.37 + 1)
                    tried(size ? std::ceil(v / 512) * 512 > best.range->most ? v : std::ceil(v / 512) * 512
                               : std::floor(v));
            }
        }
    }
    std::printf("FIGURE: %zu captures, %zu predictions within their table\n", captures, predictions);
    CHECK(predictions > 1000);
}

TEST_CASE("where a queue stands no larger window is advised") {
    if (skipped())
        return;
    for (const char *tap : {"ini", "tgt"}) {
        const ModelInput in = model_of(std::string("z21_bufferbloat.") + tap);
        INFO(tap);
        const KeyVerdict window = verdict(in, "window");
        CHECK_FALSE(window.binds);
        CHECK(window.gain == 0);
        CHECK(window.reason.find("there is a standing queue: the round trip is 88") == 0);
        const Change larger[] = {{SettingName::window, 16777216}, {SettingName::connections, 8}};
        CHECK(predict(in, larger).predicted_change() == Approx(0).margin(1e-9));
        CHECK_FALSE(verdict(in, "MaxConnections").binds);
        CHECK(verdict(in, "depth").gain == 0);
    }
}

TEST_CASE("where the window sets the rate a larger one is advised, and depth where one task is open") {
    if (skipped())
        return;
    for (const char *name : {"z05_no_window_scaling_read", "z05_small_rcvwin_read"})
        for (const char *tap : {".ini", ".tgt"}) {
            const ModelInput in = model_of(std::string(name) + tap);
            INFO(name << tap);
            CHECK(verdict(in, "window").gain > 1);
            CHECK(verdict(in, "window").certainty == Certainty::beyond_seen);
        }
    for (const char *tap : {".ini", ".tgt"})
        CHECK(verdict(model_of(std::string("z02_qd1_randread_4k") + tap), "depth").gain > 1);
}
