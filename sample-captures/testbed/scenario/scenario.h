// SPDX-License-Identifier: GPL-2.0-or-later
// A scenario: hosts, the links between them, the programs that run on them, and what is captured.
// The file format is described in this folder's README.
#pragma once

#include "sample-captures/testbed/net/network_config.h"
#include "sample-captures/testbed/net/pcapng_writer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::scenario {

struct Host {
    std::string name;
    std::vector<shim::Ipv4> addresses; // at least one
    std::uint32_t mtu = 1500;
    std::string congestion_control = "reno";     // the one every kernel offers to every namespace
    std::optional<std::uint64_t> receive_buffer; // tcp_rmem's default and maximum
    std::optional<std::uint64_t> send_buffer;    // tcp_wmem's
    std::optional<std::uint64_t> window_clamp;   // largest window any connection advertises
    std::uint32_t initial_window = 0;            // segments, first congestion window; 0: the kernel's
    std::map<std::string, std::string> sysctl;   // net.* name -> value, set last
    bool capture = true;
};

// A child process on a host: this program itself, called with `run` as its sub-command.
struct Program {
    enum class Role : std::uint8_t { server, client }; // a run ends when all clients have ended
    std::string name;                                  // unique; names its log
    std::uint32_t host = 0;
    std::string run; // "target", "initiator", "stream"
    Role role = Role::client;
    Duration start{0};                  // clients: after time zero
    std::vector<std::string> arguments; // addresses filled in
};

enum class Carrier : std::uint8_t { automatic, tun, veth };

struct Scenario {
    std::string name;
    std::string description;
    Carrier carrier = Carrier::automatic;
    std::optional<Duration> duration; // clients that still run then get SIGTERM
    std::optional<Duration> expected; // how long it should take, for the progress bar
    Duration stall_bound = std::chrono::milliseconds(20);
    shim::CaptureOptions capture;
    std::vector<Host> hosts;
    shim::NetworkConfig network; // seed, links, paths, taps, addresses
    std::vector<Program> programs;
    std::string text; // as written, with overrides listed below it: goes into the captures
};

struct Mistake {
    std::uint32_t line = 0; // from 1; 0: not in the file (an override, or something missing)
    std::string key;        // "link[0].delay"; empty: the file as a whole
    std::string message;
};

// "link.wan.delay" = "2ms": what --set says. An array of tables is entered by a member's name or
// number, or all its members are chosen. Values are TOML, or else taken as text.
struct Override {
    std::string key;
    std::string value;
};

struct Loaded {
    std::optional<Scenario> scenario; // only if there is no mistake
    std::vector<Mistake> mistakes;    // all that could be found
};

// By what a program runs ("target"): the names of its options, without "--".
using OptionNames = std::map<std::string, std::vector<std::string>>;

// `default_name` (the file's stem) is the name of a scenario that gives none. An option of a program in
// `known` that it does not have is a mistake; options of other programs are not looked at.
Loaded load_scenario(const std::string &text, const std::string &default_name,
                     const std::vector<Override> &overrides, const OptionNames &known = {});

} // namespace iscsiscope::testbed::scenario
