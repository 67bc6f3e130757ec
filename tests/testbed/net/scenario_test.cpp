// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "sample-captures/testbed/scenario/scenario.h"

#include <algorithm>

using namespace iscsiscope::testbed::scenario;
using namespace std::chrono_literals;

namespace {

const std::string good = R"(description = "x"
seed = 9
[[host]]
name = "initiator"
[[host]]
name = "target"
addresses = ["10.1.0.1", "10.1.0.2"]
sysctl = { "net.ipv4.tcp_sack" = 0 }
[[link]]
name = "wan"
delay = "0.14ms"
rate = "100Mbit/s"
loss = "0.1%"
forward = { queue_bytes = "64KiB" }
backward = { delay = "3ms" }
[[path]]
between = ["initiator", "target@10.1.0.2"]
links = ["wan"]
[[program]]
host = "target"
run = "target"
options = { portal = "{target:2}:3260", lun = ["ram:1MiB", "ram:2MiB"], phase-collapse = "off", json = true, no = false }
[[program]]
host = "initiator"
run = "initiator"
arguments = ["iscsi://{target}/x/0"]
start = "1s"
)";

std::string replaced(const std::string &from, const std::string &to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

void has_mistake(const std::string &text, std::uint32_t line, const std::string &key,
                 const std::string &part) {
    const Loaded loaded = load_scenario(text, "name", {});
    CHECK_FALSE(loaded.scenario);
    INFO(text);
    for (const Mistake &mistake : loaded.mistakes)
        INFO(mistake.line << " " << mistake.key << ": " << mistake.message);
    CHECK(std::any_of(loaded.mistakes.begin(), loaded.mistakes.end(), [&](const Mistake &m) {
        return m.line == line && m.key == key && m.message.find(part) != std::string::npos;
    }));
}

} // namespace

TEST_CASE("A scenario is read whole") {
    const Loaded loaded = load_scenario(good, "example", {});
    for (const Mistake &mistake : loaded.mistakes)
        FAIL(mistake.line << " " << mistake.key << ": " << mistake.message);
    const Scenario &s = *loaded.scenario;
    CHECK(s.name == "example");
    CHECK(s.network.seed == 9);
    CHECK(s.hosts[0].addresses ==
          std::vector<iscsiscope::testbed::shim::Ipv4>{(10U << 24U) | (77U << 16U) | 1U});
    CHECK(s.hosts[1].sysctl.at("net.ipv4.tcp_sack") == "0");
    const auto &link = s.network.links[0];
    CHECK(link.forward.delay == 140us);
    CHECK(link.forward.queue_bytes == 65536);
    CHECK(link.forward.queue_packets == 0);
    CHECK(link.backward.delay == 3ms);
    CHECK(link.backward.queue_packets == 1000); // never without an end
    CHECK(link.backward.loss.random == Approx(0.001));
    CHECK(s.network.paths[0].second.size() == 1);
    CHECK(s.programs[0].arguments == std::vector<std::string>{"--json", "--lun", "ram:1MiB", "--lun",
                                                              "ram:2MiB", "--phase-collapse", "off",
                                                              "--portal", "10.1.0.2:3260"});
    CHECK(s.programs[0].role == Program::Role::server);
    CHECK(s.programs[1].arguments == std::vector<std::string>{"iscsi://10.1.0.1/x/0"});
    CHECK(s.programs[1].start == 1s);
}

TEST_CASE("Every mistake is named with its line and key") {
    has_mistake(replaced("seed = 9", "sead = 9"), 2, "sead", "did you mean seed?");
    has_mistake(replaced("delay = \"0.14ms\"", "delay = 14"), 11, "link[0].delay", "unit");
    has_mistake(replaced("delay = \"0.14ms\"", "delay = \"0.14mm\""), 11, "link[0].delay", "unknown unit");
    has_mistake(replaced("links = [\"wan\"]", "links = [\"lan\"]"), 18, "path[0].links", "no link \"lan\"");
    has_mistake(replaced("backward = { delay", "backward = { dalay"), 15, "link[0].backward.dalay",
                "did you mean delay?");
    has_mistake(replaced("loss = \"0.1%\"", "loss = 1.5"), 13, "link[0].loss", "0 to 1");
    has_mistake(replaced("target@10.1.0.2", "target@10.1.0.3"), 17, "path[0].between", "no address");
    has_mistake(replaced("name = \"target\"", "name = \"initiator\""), 6, "host[1].name", "must be unique");
    has_mistake(replaced("run = \"target\"", "run = \"tgtd\""), 21, "program[0].run", "expected");
    has_mistake(replaced("seed = 9", "seed = "), 2, "", "");
    has_mistake(replaced("rate = \"100Mbit/s\"", "schedule = [{ at = \"1s\", rate = \"1Mbit/s\" }]"), 12,
                "link[0].schedule", "first step");
    // Two at once: both are told.
    const Loaded both = load_scenario(replaced("seed = 9", "seed = -1\nfoo = 2"), "n", {});
    CHECK(both.mistakes.size() == 2);
}

TEST_CASE("Names of links, hosts and options that do not exist are told with those that do") {
    has_mistake(replaced("links = [\"wan\"]", "links = [\"wna\"]"), 18, "path[0].links",
                "\"wna\" (did you mean wan? there are: wan)");
    has_mistake(replaced("host = \"target\"", "host = \"tgt\""), 20, "program[0].host",
                "there are: initiator, target");
    // Options of a program are looked at where it is known which it has.
    const std::string wrong = replaced("lun = ", "lnu = ");
    CHECK(load_scenario(wrong, "n", {}).mistakes.empty());
    const auto found =
        load_scenario(wrong, "n", {}, {{"target", {"portal", "lun", "phase-collapse", "json", "no"}}})
            .mistakes;
    REQUIRE(found.size() == 1);
    CHECK(found[0].key == "program[0].options.lnu");
    CHECK(found[0].message == "there is no option \"lnu\" (did you mean lun? there are: json, lun, no, "
                              "phase-collapse, portal)");
}

TEST_CASE("Letters beyond ASCII stand in comments only, which strings of several lines can imitate") {
    CHECK(load_scenario("# \xc3\xa9\n" + std::string(good), "n", {}).mistakes.empty());
    const auto refused = load_scenario("name = \"\"\"\n# \\\xef\xbb\xba\n\"\"\"\n", "n", {}).mistakes;
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].line == 2);
}

TEST_CASE("Overrides reach one link, all links, and are refused where they lead nowhere") {
    CHECK(load_scenario(good, "n", {{"link.wan.delay", "7ms"}}).scenario->network.links[0].forward.delay ==
          7ms);
    CHECK(load_scenario(good, "n", {{"link.delay", "8ms"}}).scenario->network.links[0].forward.delay == 8ms);
    CHECK(load_scenario(good, "n", {{"link.0.queue_packets", "5"}})
              .scenario->network.links[0]
              .backward.queue_packets == 5);
    CHECK(load_scenario(good, "n", {{"seed", "77"}}).scenario->network.seed == 77);
    CHECK(load_scenario(good, "n", {{"seed", "77"}}).scenario->text.find("# --set seed=77") !=
          std::string::npos);
    CHECK_FALSE(load_scenario(good, "n", {{"link.wan.daley", "7ms"}}).scenario);
    CHECK_FALSE(load_scenario(good, "n", {{"seed.x", "7ms"}}).scenario);
    // Parts that the text does not have.
    CHECK(load_scenario(good, "n", {{"link.wan.backward.loss", "0.5"}}).scenario);
    CHECK(load_scenario(good, "n", {{"program.options.json", "true"}}).scenario);
    CHECK(load_scenario(replaced("forward = { queue_bytes = \"64KiB\" }", ""), "n",
                        {{"link.forward.delay", "3ms"}})
              .scenario->network.links[0]
              .forward.delay == 3ms);
    const auto lost = load_scenario(good, "n", {{"link.wna.delay", "7ms"}}).mistakes;
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].message == "--set: there is no link \"wna\" (did you mean wan? there are: wan)");
    CHECK_FALSE(load_scenario(good, "n", {{"", ""}}).scenario);
}
