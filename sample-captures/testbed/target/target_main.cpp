// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/target_main.h"

#include "analyzer/base/help/keep_lines.h"
#include "analyzer/base/units.h"
#include "analyzer/iscsi/text/negotiation.h"
#include "sample-captures/testbed/target/config/lun_spec.h"
#include "sample-captures/testbed/target/server.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

TargetConfig defaults() {
    TargetConfig c;
    c.wish.max_recv_data_segment_length_target = 262144;
    c.wish.max_burst_length = 16776192;
    c.wish.first_burst_length = 262144;
    c.wish.initial_r2t = false;
    c.wish.max_outstanding_r2t = 16;
    c.wish.max_connections = 16;
    return c;
}

bool set_portal(TargetConfig &c, const std::string &text) {
    const auto colon = text.rfind(':');
    std::string address = text, port = "3260";
    if (colon != std::string::npos && text.find(']', colon) == std::string::npos) {
        address = text.substr(0, colon);
        port = text.substr(colon + 1);
    }
    if (address.size() > 2 && address.front() == '[' && address.back() == ']')
        address = address.substr(1, address.size() - 2);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), c.port);
    c.address = address;
    return error == std::errc{} && end == port.data() + port.size();
}

// The sentence about what is wrong with KEY=VALUE, or nothing.
std::string set_key(TargetConfig &c, const std::string &text) {
    const auto equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const KeyRule *rule = find_rule(key);
    if (equals == std::string::npos || rule == nullptr)
        return "not KEY=VALUE with a key of RFC 7143";
    const std::string value = text.substr(equals + 1);
    if (!valid_value(*rule, value))
        return fmt::format("\"{}\" is not a value of {}", value, key);
    if (key == "HeaderDigest" || key == "DataDigest") {
        (key == "HeaderDigest" ? c.header_digest : c.data_digest) = value;
        return {};
    }
    if ((key == "ErrorRecoveryLevel" && value != "0") ||
        ((key == "DataPDUInOrder" || key == "DataSequenceInOrder") && value != "Yes"))
        return fmt::format("this target does not offer {}={}", key, value);
    return set_parameter(c.wish, Party::target, key, value) ? std::string{}
                                                            : "not a key that a target can set";
}

// The sentence about what is wrong with the accounts, or nothing.
std::string set_accounts(TargetConfig &c, const std::string &chap, const std::string &mutual_chap) {
    for (const auto &[option, where, account] :
         {std::tuple("--chap", &chap, &c.chap), std::tuple("--mutual-chap", &mutual_chap, &c.mutual_chap)}) {
        if (where->empty())
            continue;
        auto read = read_chap_account(*where);
        if (!read.ok())
            return fmt::format("{}: {}", option, read.failure().message);
        *account = std::move(read.value());
    }
    if (c.mutual_chap && !c.chap) // a target proves itself only to whom it admits by CHAP
        return "--mutual-chap needs --chap";
    if (c.mutual_chap && c.mutual_chap->secret == c.chap->secret) // RFC 7143 section 12.1.3
        return "--chap and --mutual-chap must have different secrets";
    return {};
}

CLI::Option *add_duration(CLI::App &app, const std::string &name, Nanoseconds &into,
                          const std::string &help) {
    return app
        .add_option_function<std::string>(
            name,
            [name, &into](const std::string &text) {
                const auto value = parse_duration(text);
                if (!value.ok())
                    throw CLI::ValidationError(name, value.failure().message);
                into = value.value();
            },
            help)
        ->type_name("TIME");
}

template <class Size>
CLI::Option *add_size(CLI::App &app, const std::string &name, Size &into, const std::string &help) {
    return app
        .add_option_function<std::string>(
            name,
            [name, &into](const std::string &text) {
                const auto value = parse_bytes(text);
                if (!value.ok() || value.value() > 0x7fffffff)
                    throw CLI::ValidationError(name, value.ok() ? "\"" + text + "\" is not below 2GiB"
                                                                : value.failure().message);
                into = static_cast<std::uint32_t>(value.value());
            },
            help)
        ->type_name("SIZE");
}

CLI::Option *add_switch(CLI::App &app, const std::string &name, const std::string &help,
                        const std::function<void(bool)> &set) {
    return app
        .add_option_function<std::string>(
            name,
            [set, name](const std::string &text) {
                if (text != "on" && text != "off")
                    throw CLI::ValidationError(name, "must be on or off");
                set(text == "on");
            },
            help)
        ->type_name("on|off");
}

void add_network(CLI::App &app, TargetConfig &c) {
    app.add_option_function<std::string>(
           "--portal",
           [&c](const std::string &text) {
               if (!set_portal(c, text))
                   throw CLI::ValidationError("--portal", "\"" + text + "\" is not ADDRESS:PORT");
           },
           "where to listen; port 0 takes a free one (127.0.0.1:3260)")
        ->type_name("ADDRESS:PORT");
    SocketSettings &s = c.sockets;
    const std::string group = "Sockets";
    add_size(app, "--send-buffer", s.send_buffer, "SO_SNDBUF (the kernel doubles it)")->group(group);
    add_size(app, "--receive-buffer", s.receive_buffer, "SO_RCVBUF (the kernel doubles it)")->group(group);
    add_size(app, "--window-clamp", s.window_clamp, "TCP_WINDOW_CLAMP")->group(group);
    app.add_option("--congestion", s.congestion, "congestion control: reno, cubic, bbr…")->group(group);
    add_switch(
        app, "--nagle", "Nagle's algorithm (off)", [&s](bool on) { s.no_delay = !on; })
        ->group(group);
    add_switch(app, "--quick-ack", "TCP_QUICKACK after each receive; off: ACKs are delayed (system's choice)",
               [&s](bool on) { s.ack_mode = on ? AckMode::quick : AckMode::delayed; })
        ->group(group);
}

void add_faults(CLI::App &app, TargetConfig &c) {
    Faults &f = c.faults;
    const std::string group = "Peculiarities and faults (N: every N-th)";
    app.add_flag_callback(
           "--legacy-send",
           [&c] {
               c.faults.legacy_send = true;
               c.sockets.no_delay = false;
           },
           "header and data by two system calls, Nagle's algorithm on")
        ->group(group);
    add_switch(app, "--phase-collapse", "status of a Read in its last Data-In (on)", [&f](bool on) {
        f.phase_collapse = on;
    })->group(group);
    add_duration(app, "--r2t-delay", f.r2t_delay, "wait before each R2T")->group(group);
    add_size(app, "--r2t-cap", f.r2t_cap, "largest transfer an R2T asks for")->group(group);
    app.add_option("--command-window", f.command_window, "commands the window holds (128)")
        ->check(CLI::Range(1, 65535))
        ->group(group);
    app.add_option_function<std::string>(
           "--window-policy",
           [&f](const std::string &text) {
               f.window_policy = text == "open" ? WindowPolicy::open : WindowPolicy::closing;
           },
           "closing: it grows as commands are finished (default); open: always full size")
        ->check(CLI::IsMember({"closing", "open"}))
        ->group(group);
    app.add_flag("--silent-nops", f.silent_nops, "leave NOP-Out unanswered")->group(group);
    app.add_option("--task-set-full", f.task_set_full, "TASK SET FULL to every N-th command")->group(group);
    app.add_option("--busy", f.busy, "BUSY to every N-th command")->group(group);
    app.add_option("--reservation-conflict", f.reservation_conflict,
                   "RESERVATION CONFLICT to every N-th Read or Write")
        ->group(group);
    app.add_option("--check-condition", f.check_condition, "CHECK CONDITION to every N-th Read or Write")
        ->group(group);
    app.add_option_function<std::string>(
           "--sense",
           [&f](const std::string &text) {
               unsigned key = 0, asc = 0, ascq = 0;
               int end = 0;
               if (std::sscanf(text.c_str(), "%x/%x/%x%n", &key, &asc, &ascq, &end) != 3 || key > 15 ||
                   asc > 255 || ascq > 255 || static_cast<std::size_t>(end) != text.size())
                   throw CLI::ValidationError("--sense", "\"" + text + "\" is not KEY/ASC/ASCQ (3/11/0)");
               f.sense = {static_cast<std::uint8_t>(key), static_cast<std::uint8_t>(asc),
                          static_cast<std::uint8_t>(ascq)};
           },
           "its sense data, hexadecimal (3/11/0: unrecovered read error)")
        ->type_name("KEY/ASC/ASCQ")
        ->group(group);
    app.add_option("--drop-response", f.drop_response, "no status for every N-th command")->group(group);
    app.add_option("--spoil-header-digest", f.spoil_header_digest,
                   "wrong header digest in every N-th Data-In")
        ->group(group);
    app.add_option("--spoil-data-digest", f.spoil_data_digest, "wrong data digest in every N-th Data-In")
        ->group(group);
    app.add_flag("--access-by-send-buffer", f.access_by_send_buffer,
                 "a Read's data comes from the disks in pieces of --send-buffer, one after the other")
        ->group(group);
    app.add_option("--digest-work", f.digest_work, "compute each data digest N times more")->group(group);
    app.add_option("--close-after", f.close_after_commands, "cut each connection after N commands")
        ->group(group);
    add_duration(app, "--nop-interval", f.nop_interval, "ping with NOP-In this often")->group(group);
    add_duration(app, "--nop-timeout", f.nop_timeout, "a ping unanswered so long ends the connection")
        ->group(group);
    add_duration(app, "--async-logout", f.async_logout_after, "ask for a logout so long after login")
        ->group(group);
}

// What is understood once all options are known.
struct Given {
    std::vector<std::string> luns, keys;
    std::string chap, mutual_chap;
};

void add_options(CLI::App &app, TargetConfig &c, Given &given) {
    add_network(app, c);
    app.add_option("--name", c.name, "target name (" + c.name + ")")->type_name("IQN");
    app.add_option("--lun", given.luns,
                   "ram:SIZE, file:PATH[,size=SIZE], disk:SIZE[,rpm=N,…], raid0:SIZE[,disks=N,…]")
        ->type_name("DISK")
        ->required();
    app.add_option("--key", given.keys, "this end's wish for a key of RFC 7143 section 13")
        ->type_name("KEY=VALUE");
    app.add_option("--chap", given.chap,
                   "admit only who knows the account USER:SECRET that stands in this file or variable")
        ->type_name("file:PATH|env:NAME");
    app.add_option("--mutual-chap", given.mutual_chap,
                   "the account by which this target proves itself where asked; needs --chap")
        ->type_name("file:PATH|env:NAME");
    app.add_option("--truth", c.truth_path, "write what the target knew, as JSON lines, when it ends")
        ->type_name("FILE");
    add_duration(app, "--truth-period", c.truth_period, "between samples of TCP_INFO (1ms)");
    app.add_option("--seed", c.seed, "of everything random (1)");
    app.add_flag("-v,--verbose", c.verbose, "log logins and connections to standard error");
    add_faults(app, c);
}

} // namespace

std::vector<std::string> target_option_names() {
    TargetConfig config = defaults();
    Given given;
    CLI::App app;
    add_options(app, config, given);
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            names.push_back(name);
    return names;
}

int target_main(int argc, char **argv) {
    TargetConfig config = defaults();
    Given given;
    CLI::App app("Reference iSCSI target: serves disks of memory, files, or modelled disks.\n"
                 "Example: --portal 127.0.0.1:3260 --lun ram:256MiB --key MaxConnections=4",
                 argc > 0 ? argv[0] : "target");
    keep_lines(*app.get_formatter());
    add_options(app, config, given);

    const auto fail = [](const std::string &why) {
        fmt::print(stderr, "target: {}\n", why);
        return 2;
    };
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &e) { // --help
        return app.exit(e);
    } catch (const CLI::ParseError &e) {
        return fail(e.what());
    }
    for (const std::string &key : given.keys)
        if (const std::string why = set_key(config, key); !why.empty())
            return fail(fmt::format("--key {}: {}", key, why));
    // A smaller MaxBurstLength alone binds both.
    config.wish.first_burst_length = std::min(config.wish.first_burst_length, config.wish.max_burst_length);
    if (const std::string why = set_accounts(config, given.chap, given.mutual_chap); !why.empty())
        return fail(why);

    LogicalUnits units;
    std::uint16_t number = 0;
    for (const std::string &lun : given.luns) {
        auto made = make_unit(lun, number, config.name, config.seed + 1000u * number);
        if (!made.ok())
            return fail(made.failure().message);
        NumberedUnit &unit = made.value();
        number = static_cast<std::uint16_t>(unit.number + 1);
        if (!units.add(unit.number, std::move(unit.unit)))
            return fail(fmt::format("--lun {}: number {} stands twice", lun, unit.number));
    }
    std::signal(SIGPIPE, SIG_IGN);
    return serve(config, units);
}

} // namespace iscsiscope::testbed
