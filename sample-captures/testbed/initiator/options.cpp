// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/options.h"

#include "analyzer/base/help/keep_lines.h"
#include "analyzer/base/units.h"
#include "sample-captures/testbed/auth/account.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <array>
#include <sstream>

namespace iscsiscope::testbed::initiator {

namespace {

// What CLI11 stores before units and names are understood.
struct RawOptions {
    std::vector<std::string> targets, keys, apt_changes, more_portals;
    std::string digests, dispatch = "round-robin", unsolicited = "negotiated", workload = "seq-read";
    std::string split, duration, apt_left = "paper", progress, congestion, mutual, pace, window, chap;
    bool nagle = false, no_delay = false, quick_ack = false, delayed_ack = false, discover = false;
};

constexpr const char *examples = R"(
Examples:
  initiator iscsi://127.0.0.1:3260/iqn.2026-11.example:disk/0 --workload rand-read --block 4KiB --depth 16
  initiator iscsi://host/iqn.2026-11.example:disk/0 --chap file:account --workload seq-write --size 100MiB
  initiator iscsi://a/iqn.x:1/0 iscsi://b/iqn.x:2/0 --workload seq-write --block 10MB --split 64KiB --count 20
  initiator iscsi://host/iqn.x:1/0 --connections 4 --depth 8 --dispatch first-free
  initiator iscsi://host/iqn.x:1/0 --connections 64 --block 1MiB --apt --apt-tm 5s --duration 120s
  initiator --discover iscsi://host

Sizes: 4096, 64KiB, 1MB; times: 10s, 30ms, 250us; rates: 100Mbit/s, 10MB/s.
Exit status: 0 done; 1 data verification failed, a command failed, the peer was lost or the run was
interrupted; 2 usage error, or cannot connect or log in.)";

template <class Value, class Parse>
CLI::Option *unit_option(CLI::App &app, const std::string &name, Value &value, Parse parse,
                         const std::string &help) {
    return app.add_option_function<std::string>(
        name,
        [&value, parse, name](const std::string &text) {
            const auto parsed = parse(text);
            if (!parsed.ok())
                throw CLI::ValidationError(name, parsed.failure().message);
            value = static_cast<std::remove_cvref_t<decltype(parsed.value())>>(parsed.value());
        },
        help);
}

template <class Value>
CLI::Option *size_option(CLI::App &app, const std::string &name, Value &value, const std::string &help) {
    return unit_option(app, name, value, parse_bytes, help)->type_name("SIZE");
}

template <class Value>
CLI::Option *time_option(CLI::App &app, const std::string &name, Value &value, const std::string &help) {
    return unit_option(app, name, value, parse_duration, help)->type_name("TIME");
}

// Sizes for the kernel: int options.
Result<std::uint32_t> parse_buffer(std::string_view text) {
    const auto bytes = parse_bytes(text);
    if (!bytes.ok())
        return bytes.failure();
    if (bytes.value() > 0x3fffffff)
        return Failure{"\"" + std::string(text) + "\" is not below 1GiB"};
    return static_cast<std::uint32_t>(bytes.value());
}

Result<std::uint64_t> bytes_per_second(std::string_view text) {
    auto rate = parse_rate(text);
    if (rate.ok())
        rate.value() /= 8;
    return rate;
}

CLI::Option *buffer_option(CLI::App &app, const std::string &name, std::optional<std::uint32_t> &value,
                           const std::string &help) {
    return unit_option(app, name, value, parse_buffer, help)->type_name("SIZE");
}

void add_session_options(CLI::App &app, Options &o, RawOptions &raw) {
    app.add_option("target", raw.targets,
                   "iscsi://[user%secret@]host[:port]/iqn/lun; a second one for mirrored writes")
        ->expected(0, 2);
    app.add_flag("--discover", raw.discover, "list the portal's targets (SendTargets) and end");
    app.add_option("--name", o.initiator_name, "initiator name")->capture_default_str();
    app.add_option(
        "--chap", raw.chap,
        "file:PATH or env:NAME where the account USER:SECRET stands, for targets without user%secret@");
    app.add_option("--mutual", raw.mutual,
                   "account that the target must prove (mutual CHAP): file:PATH, env:NAME, or user%secret");
    app.add_option("--key", raw.keys, "NAME=VALUE to offer in the login (RFC 7143 section 13); repeatable")
        ->allow_extra_args(false);
    app.add_flag("--digests{both}", raw.digests, "offer CRC32C digests: both (default), header or data");
    app.add_option("--connections", o.connections, "TCP connections in the session (MC/S)")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--more-portals", raw.more_portals,
                   "HOST[:PORT] of further connections, in turn behind the URL's; repeatable")
        ->allow_extra_args(false);
    app.add_option("--dispatch", raw.dispatch,
                   "connection of the next command: round-robin, least-loaded, first-free")
        ->capture_default_str();
    app.add_option("--connection-depth", o.connection_depth,
                   "commands a connection carries at once (0: no limit; first-free: 1)");
    app.add_option("--unsolicited", raw.unsolicited,
                   "unsolicited write data: negotiated (all allowed), immediate, none")
        ->capture_default_str();
    time_option(app, "--r2t-delay", o.r2t_delay, "wait before an R2T is answered");
    time_option(app, "--timeout", o.timeout,
                "give the target up when a command shows no sign for so long (30s; 0: never)");
    time_option(app, "--login-timeout", o.login_timeout,
                "give up connecting or logging in after this time (15s)");
    time_option(app, "--abort-after", o.abort_after,
                "send ABORT TASK for commands older than this, then issue them again");
    time_option(app, "--reset-lun-at", o.reset_lun_at, "send LOGICAL UNIT RESET at this time of the run");
}

void add_socket_options(CLI::App &app, Options &o, RawOptions &raw) {
    buffer_option(app, "--sndbuf", o.socket.send_buffer, "SO_SNDBUF");
    buffer_option(app, "--rcvbuf", o.socket.receive_buffer, "SO_RCVBUF");
    buffer_option(app, "--window-clamp", o.socket.window_clamp, "TCP_WINDOW_CLAMP");
    app.add_option("--window", raw.window,
                   "an exact TCP window: receive and send buffers of twice this, clamped to it");
    app.add_option("--congestion", o.socket.congestion, "congestion control: reno, cubic, bbr …");
    unit_option(app, "--pace", o.socket.pacing_rate, bytes_per_second,
                "limit the sending rate (SO_MAX_PACING_RATE)")
        ->type_name("RATE");
    time_option(app, "--read-pause", o.link.read_pause,
                "take nothing from the socket for so long, again and again");
    size_option(app, "--read-pause-every", o.link.read_pause_every,
                "bytes read between such pauses (256KiB)");
    auto *nagle = app.add_flag("--nagle", raw.nagle, "Nagle's algorithm on");
    app.add_flag("--nodelay", raw.no_delay, "Nagle's algorithm off (default)")->excludes(nagle);
    auto *quick = app.add_flag("--quickack", raw.quick_ack, "acknowledge at once (TCP_QUICKACK)");
    app.add_flag("--delayed-ack", raw.delayed_ack, "delay acknowledgements always")->excludes(quick);
    app.add_flag("--legacy-send", o.link.legacy_send, "header and data of a PDU by separate writes");
}

void add_workload_options(CLI::App &app, Options &o, RawOptions &raw) {
    app.add_option("--workload", raw.workload,
                   "seq-read, seq-write, rand-read, rand-write, const-read, const-write, mixed")
        ->capture_default_str();
    size_option(app, "--block", o.block, "bytes of a request (64KiB)");
    app.add_option(
        "--split", raw.split,
        "sizes of the commands a request becomes, in turn, the last repeated: 127.5KiB or 64KiB,32KiB");
    app.add_option("--depth", o.depth, "commands out at once, each process")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    app.add_option("--open-requests", o.open_requests,
                   "requests begun and not ended, each process (0: as many as the depth)");
    app.add_option("--processes", o.processes, "independent I/O processes on the session")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    time_option(app, "--think", o.think, "pause between a request's end and the next");
    app.add_option("--read-share", o.read_share, "share of reads in mixed")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    time_option(app, "--duration", o.duration,
                "end after this time; 0: run until interrupted (10s if no bound is given)");
    size_option(app, "--size", o.size, "end after so many bytes");
    app.add_option("--count", o.count, "end after so many requests")->check(CLI::PositiveNumber);
    size_option(app, "--offset", o.offset, "where on the unit the region begins");
    size_option(app, "--span", o.span, "length of the region (to the unit's end)");
    app.add_flag("--prefill", o.prefill, "write the region first, unmeasured");
    app.add_flag("--verify", o.verify, "check all data read; read back at the end what was written");
    app.add_option("--write-same-every", o.write_same_every,
                   "a WRITE SAME of zeros over the region's beginning goes out beside every N-th request");
    size_option(app, "--write-same-size", o.write_same_size, "bytes that it fills (8MiB)");
    app.add_flag("--keep-going", o.keep_going, "go on after a command that failed");
    app.add_option("--seed", o.seed, "of addresses and data")->capture_default_str();
}

void add_apt_options(CLI::App &app, Options &o, RawOptions &raw) {
    auto &t = o.apt.tuner;
    const char *group = "iSCSI-APT: tune the number of connections that carry commands";
    app.add_flag("--apt", o.apt.enabled, "turn the tuner on (the session opens --connections)")->group(group);
    time_option(app, "--apt-tm", o.apt.measuring_time, "measuring time T_m (5s)")->group(group);
    app.add_option("--apt-initial", t.initial, "N at the start")->capture_default_str()->group(group);
    app.add_option("--apt-k", t.k, "factor of the first climb")->capture_default_str()->group(group);
    app.add_option("--apt-l", t.l, "step when the bandwidth rose")->capture_default_str()->group(group);
    app.add_option("--apt-m", t.m, "step when it fell")->capture_default_str()->group(group);
    app.add_option("--apt-samples", t.samples, "measurements a point, their median counts")
        ->capture_default_str()
        ->group(group);
    app.add_option(
           "--apt-margin", t.margin,
           "share by which more connections must yield more, fewer may yield less (0: the paper's rule)")
        ->check(CLI::Range(0.0, 0.5))
        ->capture_default_str()
        ->group(group);
    app.add_option("--apt-left", raw.apt_left, "left-hand point of the golden section: paper or golden")
        ->capture_default_str()
        ->group(group);
    app.add_option("--apt-change", raw.apt_changes,
                   "TIME:rise or TIME:fall, a change of bandwidth; repeatable")
        ->allow_extra_args(false)
        ->group(group);
}

void add_output_options(CLI::App &app, Options &o, RawOptions &raw) {
    app.add_option("--truth", o.truth, "write what the program knew to this file (JSON lines)");
    time_option(app, "--tcp-info", o.tcp_info, "period of TCP_INFO samples in the truth (1ms; 0: none)");
    app.add_flag("--json", o.json, "report as JSON");
    app.add_option("--progress", raw.progress, "none, text or jsonl, on standard error (text on a terminal)");
    time_option(app, "--progress-interval", o.progress_interval, "between progress lines (500ms)");
}

template <class Value>
bool choose(std::optional<Value> found, Value &value) {
    if (found)
        value = *found;
    return found.has_value();
}

// key=value, the value one that the key's rule allows; keys without a rule pass (X-…, vendor keys).
std::string add_key(Options &o, const std::string &text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return "--key: \"" + text + "\" is not NAME=VALUE";
    KeyValue pair{text.substr(0, equals), text.substr(equals + 1)};
    if (const KeyRule *rule = find_rule(pair.key); rule && !valid_value(*rule, pair.value))
        return "--key: \"" + pair.value + "\" is no value of " + pair.key;
    o.keys.push_back(std::move(pair));
    return {};
}

std::string understand_mutual(Options &o, const std::string &text) {
    const auto percent = text.find('%');
    if (text.starts_with("file:") || text.starts_with("env:")) {
        auto account = read_chap_account(text);
        if (!account.ok())
            return "--mutual: " + account.failure().message;
        o.target_user = account.value().user;
        o.target_secret = account.value().secret;
    } else if (percent == std::string::npos || percent + 1 == text.size()) {
        return "--mutual: must be file:PATH, env:NAME or user%secret";
    } else {
        o.target_user = text.substr(0, percent);
        o.target_secret = text.substr(percent + 1);
    }
    for (const TargetUrl &target : o.targets)
        if (target.secret == o.target_secret) // RFC 7143 section 12.1.3
            return "--mutual: the secrets of the two directions must differ";
        else if (target.user.empty())
            return "--mutual: needs --chap, or user%secret@ in the target, too";
    return chap_secret_problem({o.target_user, o.target_secret});
}

std::string understand_accounts(Options &o, const RawOptions &raw) {
    if (!raw.chap.empty()) {
        const auto account = read_chap_account(raw.chap);
        if (!account.ok())
            return "--chap: " + account.failure().message;
        for (TargetUrl &target : o.targets)
            if (target.user.empty()) {
                target.user = account.value().user;
                target.secret = account.value().secret;
            }
    }
    if (!raw.mutual.empty())
        if (std::string error = understand_mutual(o, raw.mutual); !error.empty())
            return error;
    for (const TargetUrl &target : o.targets)
        if (!target.user.empty())
            if (std::string error = chap_secret_problem({target.user, target.secret}); !error.empty())
                return error;
    return {};
}

std::string understand_session(Options &o, const RawOptions &raw) {
    for (const std::string &text : raw.targets) {
        auto parsed = parse_url(text);
        if (!parsed.ok())
            return text.substr(0, text.find("://") + 3) + "…: " + parsed.failure().message;
        o.targets.push_back(std::move(parsed.value()));
    }
    if (std::string error = understand_accounts(o, raw); !error.empty())
        return error;
    for (const std::string &text : raw.more_portals) {
        const auto url = parse_url("iscsi://" + text);
        if (!url.ok() || !url.value().name.empty())
            return "--more-portals: \"" + text + "\" is not HOST[:PORT]";
        o.more_portals.push_back({url.value().host, url.value().port});
    }
    const bool both = raw.digests == "both";
    if (!raw.digests.empty() && !both && raw.digests != "header" && raw.digests != "data")
        return "--digests: both, header or data";
    if (both || raw.digests == "header")
        o.keys.push_back({"HeaderDigest", "CRC32C"});
    if (both || raw.digests == "data")
        o.keys.push_back({"DataDigest", "CRC32C"});
    for (const std::string &text : raw.keys)
        if (std::string error = add_key(o, text); !error.empty())
            return error;
    if (!choose(dispatch_from_name(raw.dispatch), o.dispatch))
        return "--dispatch: round-robin, least-loaded or first-free";
    if (!choose(unsolicited_from_name(raw.unsolicited), o.unsolicited))
        return "--unsolicited: negotiated, immediate or none";
    o.socket.no_delay = !raw.nagle;
    if (raw.quick_ack || raw.delayed_ack)
        o.socket.ack_mode = raw.quick_ack ? AckMode::quick : AckMode::delayed;
    if (!raw.window.empty()) {
        const auto window = parse_buffer(raw.window);
        if (!window.ok() || window.value() > 0x1fffffff)
            return "--window: \"" + raw.window + "\" is not a size below 512MiB";
        o.socket.window_clamp = window.value();
        o.socket.receive_buffer = 2 * window.value();
        o.socket.send_buffer = 2 * window.value();
    }
    return {};
}

std::string understand_workload(Options &o, const RawOptions &raw) {
    if (!choose(workload_from_name(raw.workload), o.workload))
        return "--workload: seq-read, seq-write, rand-read, rand-write, const-read, const-write or mixed";
    if (o.block == 0 || o.block > (std::uint64_t{1} << 30))
        return "--block: from one block of the unit to 1GiB";
    std::stringstream sizes(raw.split);
    for (std::string text; std::getline(sizes, text, ',');) {
        const auto size = parse_bytes(text);
        if (!size.ok() || size.value() == 0)
            return "--split: " + (size.ok() ? "a command of 0 bytes" : size.failure().message);
        o.split.push_back(size.value());
    }
    if (o.write_same_every != 0 && o.verify)
        return "--write-same-every overwrites what --verify checks";
    if (!o.duration && !o.size && !o.count)
        o.duration = std::chrono::seconds(10);
    if (raw.apt_left != "paper" && raw.apt_left != "golden")
        return "--apt-left: paper or golden";
    o.apt.tuner.left_point =
        raw.apt_left == "golden" ? ParallelismTuner::LeftPoint::golden : ParallelismTuner::LeftPoint::paper;
    o.apt.tuner.maximum = o.connections;
    for (const std::string &text : raw.apt_changes) {
        const auto colon = text.find(':');
        const auto at = parse_duration(text.substr(0, colon));
        const std::string way = colon == std::string::npos ? std::string{} : text.substr(colon + 1);
        if (!at.ok() || (way != "rise" && way != "fall"))
            return "--apt-change: \"" + text + "\" is not TIME:rise or TIME:fall";
        o.apt.changes.push_back(
            {at.value(), way == "rise" ? ParallelismTuner::Step::raise : ParallelismTuner::Step::lower});
    }
    if (o.apt.enabled && o.apt.measuring_time.count() == 0)
        return "--apt-tm: must be longer than nothing";
    if (o.apt.enabled) { // each active connection carries its commands, as the paper's N Reads do
        o.dispatch = DispatchPolicy::first_free;
        o.depth = std::max(o.depth, o.connections * std::max(o.connection_depth, 1U));
    }
    return {};
}

std::string understand_mode(Options &o, const RawOptions &raw) {
    if (raw.discover)
        o.mode = Options::Mode::discover;
    if (o.targets.empty())
        return "a target is missing: iscsi://[user%secret@]host[:port]/iqn/lun";
    if (o.mode == Options::Mode::workload)
        for (const TargetUrl &target : o.targets)
            if (target.name.empty())
                return target.portal() + ": the target name is missing (--discover lists them)";
    if (raw.progress.empty())
        o.progress = isatty(STDERR_FILENO) != 0 ? ProgressMode::text : ProgressMode::none;
    else if (raw.progress == "text" || raw.progress == "jsonl")
        o.progress = raw.progress == "text" ? ProgressMode::text : ProgressMode::jsonl;
    else if (raw.progress != "none")
        return "--progress: none, text or jsonl";
    if (o.progress_interval.count() == 0)
        return "--progress-interval: must be longer than nothing";
    return {};
}

void add_options(CLI::App &app, Options &o, RawOptions &raw) {
    add_session_options(app, o, raw);
    add_workload_options(app, o, raw);
    add_socket_options(app, o, raw);
    add_apt_options(app, o, raw);
    add_output_options(app, o, raw);
}

} // namespace

std::vector<std::string> option_names() {
    Options options;
    RawOptions raw;
    CLI::App app;
    add_options(app, options, raw);
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            names.push_back(name);
    return names;
}

ParsedOptions parse_options(int argc, const char *const *argv) {
    Options options;
    RawOptions raw;
    CLI::App app("Reference iSCSI initiator: runs a workload against one target, or two as mirrors.",
                 "initiator");
    keep_lines(*app.get_formatter());
    app.footer(examples);
    add_options(app, options, raw);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        std::ostringstream out, complaint;
        const bool wrong = app.exit(error, out, complaint) != 0;
        return {std::nullopt, wrong ? complaint.str() : out.str(), wrong ? 2 : 0};
    }
    std::string wrong = understand_session(options, raw);
    if (wrong.empty())
        wrong = understand_workload(options, raw);
    if (wrong.empty())
        wrong = understand_mode(options, raw);
    if (!wrong.empty())
        return {std::nullopt, "initiator: " + wrong + "\n", 2};
    return {std::move(options), {}, 0};
}

std::vector<KeyValue> keys_to_offer(const Options &options) {
    OperationalParameters wish;
    wish.max_recv_data_segment_length_initiator = 262144;
    wish.max_burst_length = 16776192;
    wish.first_burst_length = 262144;
    wish.initial_r2t = false;
    wish.immediate_data = true;
    wish.max_connections = options.connections;
    wish.default_time2retain = 0;
    std::vector<KeyValue> keys = offer_keys(wish, Party::initiator);
    for (const KeyValue &own : options.keys) {
        const auto found =
            std::find_if(keys.begin(), keys.end(), [&](const KeyValue &pair) { return pair.key == own.key; });
        if (found == keys.end())
            keys.push_back(own);
        else
            found->value = own.value;
    }
    // A smaller MaxBurstLength alone must not leave a larger FirstBurstLength behind (RFC 7143 section
    // 13.14).
    const auto value_of = [&](std::string_view name) {
        std::uint64_t value = 0;
        const std::string *text = find_value(keys, name);
        return text && parse_number(*text, value) ? value : 0;
    };
    const std::uint64_t most = value_of("MaxBurstLength");
    const bool own_first_burst = find_value(options.keys, "FirstBurstLength") != nullptr;
    if (!own_first_burst && value_of("FirstBurstLength") > most)
        for (KeyValue &pair : keys)
            if (pair.key == "FirstBurstLength")
                pair.value = std::to_string(most);
    return keys;
}

} // namespace iscsiscope::testbed::initiator
