// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "analyzer/model/cycle_model.h"
#include "analyzer/model/model_fit.h"
#include "findings/look.h"
#include "tests/support/bundle.h"

#include <cstdio>

using namespace iscsiscope;
using namespace std::chrono_literals;

namespace {

constexpr double ms = 1e6;

ModelInput read_input() {
    ModelInput in;
    in.type = TaskType::read;
    in.tasks = in.tasks_of_type = 100;
    in.block = 500'000;
    in.rtt = 32 * ms;
    in.rtt_known = in.service_known = true;
    in.path_rate = 40e6;
    in.mss = 1448;
    in.measured_cycle = 32 * ms + 500'000 / 40e6 * 1e9;
    in.measured_throughput = in.block / in.measured_cycle * 1e9;
    return in;
}

ModelInput write_input(double block, double unsolicited, double burst, double outstanding) {
    ModelInput in = read_input();
    in.type = TaskType::write;
    in.block = block;
    in.unsolicited = unsolicited;
    in.burst = burst;
    in.r2ts_outstanding = outstanding;
    in.r2ts = 1600;
    in.keys_known = ParameterSet::all();
    in.keys.initial_r2t = true;
    in.keys.immediate_data = false;
    in.keys.max_burst_length = static_cast<std::uint32_t>(burst);
    const ModelResult r = evaluate(settings_of(in));
    in.measured_cycle = r.parts.total();
    in.measured_throughput = r.throughput;
    return in;
}

double relative(double a, double b) {
    return a / b - 1;
}

} // namespace

TEST_CASE("Reads: cycle = k d + s + B / T") {
    // Yamaguchi et al. 2003 with four delays of 16 ms: 500 KB at 40 MB/s.
    ModelInput in = read_input();
    in.held_acks = true;
    in.held_time = 32 * ms;
    CHECK(evaluate(settings_of(in)).parts.total() == Approx(4 * 16 * ms + 12.5 * ms));
    in.service = 3 * ms;
    CHECK(evaluate(settings_of(in)).parts.total() == Approx(4 * 16 * ms + 3 * ms + 12.5 * ms));
    // Without them two are left.
    in.held_acks = false;
    CHECK(evaluate(settings_of(in)).parts.round_trips == Approx(2 * 16 * ms));
    CHECK(evaluate(settings_of(in)).bottleneck == Bottleneck::latency);
    // 4 MB over a window of 1 MB: three more waits for what a window does not fill of the round trip.
    ModelInput large = read_input();
    large.block = 4e6;
    large.window = 1e6;
    CHECK(evaluate(settings_of(large)).parts.round_trips == Approx(32 * ms + 3 * (32 * ms - 25 * ms)));
}

TEST_CASE("Writes: round trips by R2Ts") {
    // Zhou and Watanabe 2009: 262,144 bytes by R2Ts of 16,384 are 16.
    ModelInput in = write_input(262144, 0, 16384, 1);
    CHECK(r2t_count(settings_of(in)) == 16);
    CHECK(evaluate(settings_of(in)).parts.round_trips == Approx(32 * ms * 17));
    in.r2ts_outstanding = 4;
    CHECK(evaluate(settings_of(in)).parts.round_trips == Approx(32 * ms * 5));
    in.unsolicited = 262144;
    CHECK(evaluate(settings_of(in)).parts.round_trips == Approx(32 * ms));
    // R2Ts that cover the round trip cost one.
    ModelInput full = write_input(64e6, 0, 4e6, 1);
    CHECK(evaluate(settings_of(full)).parts.round_trips == Approx(64 * ms));
}

TEST_CASE("throughput = min(T, Q B / cycle, C W / RTT, C 1.22 MSS / (RTT sqrt p))") {
    ModelInput in = read_input();
    in.block = 4096;
    ModelSettings s = settings_of(in);
    const double one = evaluate(s).throughput;
    s.depth = 8;
    CHECK(evaluate(s).throughput == Approx(8 * one));
    s.depth = 10000;
    CHECK(evaluate(s).throughput == Approx(40e6));
    CHECK(evaluate(s).bottleneck == Bottleneck::path_rate);
    s.window = 65536;
    CHECK(evaluate(s).throughput == Approx(65536 / 0.032));
    CHECK(evaluate(s).bottleneck == Bottleneck::window);
    s.connections = 2;
    CHECK(evaluate(s).throughput == Approx(2 * 65536 / 0.032));
    s.window.reset();
    s.loss = 0.01;
    CHECK(evaluate(s).throughput == Approx(2 * 1.22 * 1448 / (0.032 * 0.1)));
    CHECK(evaluate(s).bottleneck == Bottleneck::loss);
}

TEST_CASE("mirrored, bandwidth-delay product") {
    ModelInput near = read_input(), far = read_input();
    near.rtt = 2 * ms;
    CHECK(mirrored_cycle(near, far) == Approx(32 * ms + 2 * 12.5 * ms));
    CHECK(*bandwidth_delay_product(far) == Approx(40e6 * 0.032));
}

TEST_CASE("predictions change what they should, and nothing else") {
    const ModelInput in = write_input(262144, 0, 16384, 1);
    const Change larger[] = {{SettingName::max_burst_length, 262144}};
    const Prediction p = predict(in, larger);
    CHECK(p.after.round_trips == Approx(2 * 32 * ms));
    CHECK(p.predicted > 5 * p.measured);
    CHECK(p.low <= p.predicted);
    CHECK(p.high >= p.predicted);
    // Without a change the measurement comes back.
    ModelInput exact = read_input();
    CHECK(predict(exact, {}).predicted == Approx(exact.measured_throughput).epsilon(0.001));
    exact.measured_throughput *= 0.9; // the model is 11 % above it
    CHECK(predict(exact, {}).predicted == Approx(exact.measured_throughput).epsilon(0.001));
    // A key of Writes does nothing to Reads.
    const Prediction r = predict(read_input(), larger);
    CHECK(r.predicted == Approx(read_input().measured_throughput).epsilon(0.001));
    CHECK(!r.remarks.empty());
    const Change delay[] = {{SettingName::delay, 1 * ms}};
    CHECK(predict(read_input(), delay).after.round_trips == Approx(2 * ms));
}

TEST_CASE("which key binds") {
    // open-iscsi-like defaults against longhorn issue 3037: larger keys, no improvement, because depth binds.
    ModelInput in = write_input(4096, 4096, 0, 1);
    in.r2ts = 0;
    in.keys = {};
    in.keys.initial_r2t = false;
    bool depth = false;
    for (const KeyVerdict &k : key_verdicts(in)) {
        INFO(k.key << ": " << k.reason);
        if (k.key == "MaxBurstLength" || k.key == "FirstBurstLength" || k.key == "MaxOutstandingR2T" ||
            k.key == "MaxRecvDataSegmentLength" || k.key == "MaxConnections")
            CHECK(!k.binds);
        depth = depth || (k.key == "depth" && k.binds);
    }
    CHECK(depth);
    bool burst = false;
    for (const KeyVerdict &k : key_verdicts(write_input(262144, 0, 16384, 1)))
        burst = burst || (k.key == "MaxBurstLength" && k.binds && k.gain > 5);
    CHECK(burst);
}

TEST_CASE("a key that the login does not tell is not judged") {
    ModelInput in = write_input(262144, 0, 65536, 1);
    const auto verdict = [&](std::string_view key) {
        for (const KeyVerdict &k : key_verdicts(in))
            if (k.key == key)
                return k;
        FAIL("no verdict on " << key);
        return KeyVerdict{};
    };
    CHECK(verdict("MaxBurstLength").binds);
    in.keys = {};
    in.keys_known = {};
    // 64 KiB of the R2Ts are 64 KiB of the key at least, not its default.
    CHECK(verdict("MaxBurstLength").value == "at least 64 KiB, seen");
    for (const char *key :
         {"MaxBurstLength", "FirstBurstLength", "InitialR2T", "ImmediateData", "MaxOutstandingR2T"}) {
        INFO(key);
        CHECK_FALSE(verdict(key).judged);
        CHECK_FALSE(verdict(key).binds);
    }
    CHECK(verdict("InitialR2T").value.empty());
    CHECK(verdict("depth").judged);
    // What would gain nothing with its best value does not bind, whatever it is.
    in = write_input(65536, 65536, 0, 1);
    in.r2ts = 0;
    in.keys_known = {};
    in.unsolicited_pdus = true;
    CHECK(verdict("MaxBurstLength").judged);
    CHECK_FALSE(verdict("MaxBurstLength").binds);
    CHECK(verdict("InitialR2T").value == "No, seen");
    // A change of another key leaves the measured bursts, and the prediction states what it assumed.
    in = write_input(262144, 0, 65536, 1);
    in.keys = {};
    in.keys_known = {};
    const Change block[] = {{SettingName::block_size, 524288}};
    CHECK(predict(in, block).after.round_trips == Approx(9 * 32 * ms));
    REQUIRE(predict(in, block).remarks.size() == 1);
    CHECK(predict(in, block).remarks[0].find("MaxBurstLength") != std::string::npos);
}

TEST_CASE("the parts of a cycle add up to the one that the throughput means") {
    ModelInput in = read_input();
    in.depth = 64; // far more than the path takes
    const ModelledCycle m = model_cycle(in);
    CHECK(m.bottleneck == Bottleneck::path_rate);
    CHECK(m.parts.queued > 0);
    CHECK(m.parts.total() == Approx(in.depth * in.block / m.throughput * 1e9));
    CHECK(m.cycle_error == Approx(m.parts.total() / in.measured_cycle - 1));
    CHECK(model_cycle(read_input()).parts.queued == 0);
}

namespace {

CycleRecord read_of(std::uint64_t n, Duration start, Duration length, std::uint32_t bytes, Duration wait) {
    CycleRecord r;
    r.cycle = CycleId{n};
    r.type = TaskType::read;
    r.outcome = TaskOutcome::good;
    r.has_phases = true;
    r.bytes_moved = bytes;
    r.start = Time{start};
    r.end = r.start + length;
    r.response_time = length;
    r.next_command_wait = wait;
    r.cycle_time = length + wait;
    r.queue_depth = 1;
    r.complete = true;
    return r;
}

} // namespace

TEST_CASE("throughput and cycle are of the same tasks") {
    // 20 of 256 KiB in 10 ms each, 2 ms apart; between them reads of 512 bytes that take as long.
    ModelFit turns;
    for (std::uint64_t n = 0; n < 20; ++n) {
        turns.on_cycle(read_of(2 * n, n * 24ms, 10ms, 262144, 2ms), {});
        turns.on_cycle(read_of(2 * n + 1, n * 24ms + 12ms, 10ms, 512, 2ms), {});
    }
    const ModelInput in = turns.inputs().at(0);
    CHECK(in.block == 262144);
    CHECK(in.measured_cycle == Approx(12 * ms));
    // In the waits of the host no task is open: they are in the cycle, but not in the data time.
    CHECK(in.think == Approx(2 * ms));
    CHECK(in.data_time == Approx(20 * 10 * ms));
    CHECK(in.bytes == 20 * 262144);
    CHECK(in.measured_throughput == Approx(262144 / 10e-3));
    CHECK(in.measured_throughput * (in.measured_cycle - in.think) / 1e9 ==
          Approx(in.depth * in.block * in.task_share));
    CHECK(in.task_share == 1);
    CHECK(in.byte_share == 1);
    // A pause of the host, and the last task, behind which nothing comes: in both with a wait as the others'.
    turns.on_cycle(read_of(50, 1s, 10ms, 262144, 10s), {});
    CycleRecord last = read_of(51, 20s, 32ms, 262144, 0ms);
    last.next_command_wait.reset();
    last.cycle_time.reset();
    turns.on_cycle(last, {});
    CHECK(turns.inputs().at(0).measured_cycle == Approx(13 * ms));
    CHECK(turns.inputs().at(0).measured_throughput == Approx(262144 / 11e-3));
    ModelFit alone;
    alone.on_cycle(last, {});
    CHECK(alone.inputs().at(0).measured_throughput == Approx(262144 / 32e-3)); // all there is
    // Two sizes open all the time: each has its part of the outstanding tasks and of the path.
    ModelFit mixed;
    for (std::uint64_t n = 0; n < 20; ++n) {
        mixed.on_cycle(read_of(2 * n, n * 12ms, 10ms, 262144, 2ms), {});
        mixed.on_cycle(read_of(2 * n + 1, n * 12ms, 10ms, 131072, 2ms), {});
    }
    const ModelInput both = mixed.inputs().at(0);
    CHECK(both.depth == Approx(2));
    CHECK(both.task_share == Approx(0.5));
    CHECK(both.byte_share == Approx(2.0 / 3));
    CHECK(both.measured_throughput == Approx(262144 / 10e-3));
}

namespace {

KeyVerdict verdict_on(const ModelInput &in, std::string_view key) {
    for (const KeyVerdict &k : key_verdicts(in))
        if (k.key == key)
            return k;
    FAIL("no verdict on " << key);
    return {};
}

double change_by(const ModelInput &in, SettingName setting, double value) {
    const Change change{setting, value};
    return predict(in, std::span(&change, 1)).predicted_change();
}

} // namespace

TEST_CASE("the table names the best value of its range, and predict gives no more") {
    // One Read at a time at a distance: the rate of the path is reached with four of them.
    const ModelInput in = read_input();
    const KeyVerdict depth = verdict_on(in, "depth");
    CHECK(depth.best_of() == "4 of 1..128");
    CHECK(depth.gain_words() == "about 3.6 times");
    CHECK(*depth.best == 4);
    for (const double value : {1.0, 2.0, 3.0, 4.0, 8.0, 128.0})
        CHECK(change_by(in, SettingName::depth, value) <= depth.gain + 1e-9);
    CHECK(change_by(in, SettingName::depth, 8) == Approx(depth.gain));
    // Beyond the range a value is marked as such; within it, it is not.
    const auto marked = [&](double value) {
        const Change change{SettingName::depth, value};
        for (const std::string &s : predict(in, std::span(&change, 1)).remarks)
            if (s == "depth=" + std::to_string(static_cast<int>(value)) +
                         " is beyond the range tried for the table (1..128).")
                return true;
        return false;
    };
    CHECK(marked(129));
    CHECK_FALSE(marked(128));
    // Four MaxBurstLengths just hold a Write: a byte more would cost a round trip.
    ModelInput writes = write_input(65536, 65536, 65536, 1);
    writes.keys.immediate_data = true;
    writes.keys.initial_r2t = false;
    const KeyVerdict block = verdict_on(writes, "block");
    for (double value = 4096; value <= 4194304; value += 16384 - 512)
        CHECK(change_by(writes, SettingName::block_size, value) <= block.gain + 1e-9);
}

TEST_CASE("a rate that is only a lower bound is stated as one") {
    ModelInput in = read_input();
    in.rate_is_lower_bound = true;
    const KeyVerdict depth = verdict_on(in, "depth");
    CHECK(depth.certainty == Certainty::at_least);
    CHECK(depth.gain_words() == "at least about 3.6 times");
    // No prediction is built on a rate that nothing shows.
    CHECK(change_by(in, SettingName::depth, 128) == Approx(depth.gain));
    CHECK(change_by(in, SettingName::no_delay, 1) == Approx(0).margin(1e-9));
    // What the model does not explain stays: here the cycle takes fifty times as long as it should.
    in.measured_throughput /= 50;
    in.measured_cycle *= 50;
    CHECK(predict(in, {}).predicted == Approx(in.measured_throughput));
    CHECK(change_by(in, SettingName::delay, 8 * ms) < 0.02);
}

TEST_CASE("no larger window where a queue stands or the link is full") {
    ModelInput in = read_input();
    in.window = 100e3;
    in.window_held = 0.8;
    in.depth = 4;
    in.measured_throughput = 100e3 / 0.032;
    in.path_rate = in.measured_throughput;
    in.rate_is_lower_bound = true;
    // The window is sent once each round trip, and nothing waits: a larger one carries more.
    CHECK(verdict_on(in, "window").gain > 1);
    CHECK(verdict_on(in, "window").certainty == Certainty::beyond_seen);
    CHECK(verdict_on(in, "window").gain_words().find("up to ") == 0);
    // The same flow, its window standing in a queue.
    in.rtt = 2 * ms;
    in.queue = StandingQueue{2 * ms, 32 * ms};
    for (const char *key : {"window", "MaxConnections", "depth"}) {
        INFO(key);
        CHECK_FALSE(verdict_on(in, key).binds);
        CHECK(verdict_on(in, key).gain == 0);
        CHECK(verdict_on(in, key).reason ==
              "there is a standing queue: the round trip is 32.0 ms under load against 2.00 ms at rest");
    }
    CHECK(verdict_on(in, "window").best_of() == "none better in 64 KiB..16 MiB");
    CHECK(change_by(in, SettingName::window, 16777216) == Approx(0).margin(1e-9));
    CHECK(change_by(in, SettingName::connections, 8) == Approx(0).margin(1e-9));
    // A link whose rate is known and used.
    ModelInput full = read_input();
    full.depth = 16;
    full.window = 4e6;
    full.measured_throughput = 39e6;
    CHECK(verdict_on(full, "window").reason == "the link is full: these tasks take 39 MB/s of 40 MB/s");
    CHECK(verdict_on(full, "depth").gain == 0);
}

// The scenario pairs that the bundle has: predicted from one, measured in the other.
TEST_CASE("predicted from one bundled capture, measured in the other") {
    struct Pair {
        const char *from, *to;
        Change change;
    };
    const Pair pairs[] = {
        {"read-16ms-four-gaps.initiator", "read-16ms-two-gaps.initiator", {SettingName::no_delay, 1}},
        {"read-16ms-two-gaps.initiator", "read-16ms-four-gaps.initiator", {SettingName::no_delay, 0}},
        {"r2t-ping-pong.initiator", "unsolicited-data.initiator", {SettingName::initial_r2t, 0}},
    };
    for (const Pair &p : pairs) {
        const auto path = [](const char *n) { return test::bundled(std::string(n) + ".pcapng.zst"); };
        const auto from = look_at(path(p.from)), to = look_at(path(p.to));
        REQUIRE(from);
        REQUIRE(to);
        std::vector<Change> changes{p.change};
        if (p.change.setting == SettingName::initial_r2t)
            changes.push_back({SettingName::first_burst_length, 131072});
        const Prediction prediction = predict(from->facts.models.at(0), changes);
        const double measured = to->facts.models.at(0).measured_throughput;
        const double error = relative(prediction.predicted, measured);
        std::printf("FIGURE: predicted from %s for %s: %+.1f %% (no change: %+.1f %%)\n", p.from, p.to,
                    error * 100, relative(prediction.measured, measured) * 100);
        CHECK(std::abs(error) <= 0.25);
    }
}

TEST_CASE("model beside measurement on bundled captures") {
    for (const char *n :
         {"plain-read.initiator", "plain-read.target", "plain-write.initiator", "r2t-ping-pong.initiator",
          "read-16ms-four-gaps.initiator", "read-16ms-two-gaps.initiator", "slow-target.initiator",
          "command-window.initiator"}) {
        const auto look = look_at(test::bundled(std::string(n) + ".pcapng.zst"));
        REQUIRE(look);
        const ModelledCycle m = model_cycle(look->facts.models.at(0));
        std::printf("FIGURE: model of %s: cycle %+.1f %%, throughput %+.1f %%\n", n, m.cycle_error * 100,
                    m.throughput_error * 100);
        CHECK(std::abs(m.cycle_error) <= 0.15);
    }
}

TEST_CASE("more at once gives nothing where the host sends commands independently of completions") {
    ModelInput paced = read_input();
    paced.depth = 1;
    CHECK(change_by(paced, SettingName::depth, 2) > 0.5);
    paced.open_loop = true;
    CHECK(change_by(paced, SettingName::depth, 2) == Approx(0).margin(1e-9));
    CHECK(change_by(paced, SettingName::connections, 4) == Approx(0).margin(1e-9));
    const Change deeper[] = {{SettingName::depth, 2}};
    const Prediction p = predict(paced, deeper);
    CHECK(std::any_of(p.remarks.begin(), p.remarks.end(), [](const std::string &r) {
        return r.find("independently of completions") != std::string::npos;
    }));
    CHECK(verdict_on(paced, "depth").gain == 0);
}
