// SPDX-License-Identifier: GPL-2.0-or-later
// The options of the initiator's command line.
#pragma once

#include "sample-captures/testbed/common/socket_settings.h"
#include "sample-captures/testbed/initiator/session/connection.h"
#include "sample-captures/testbed/initiator/session/data_out_plan.h"
#include "sample-captures/testbed/initiator/session/dispatch.h"
#include "sample-captures/testbed/initiator/session/login_exchange.h"
#include "sample-captures/testbed/initiator/url.h"
#include "sample-captures/testbed/initiator/workload/apt_controller.h"
#include "sample-captures/testbed/initiator/workload/workload.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::initiator {

enum class ProgressMode : std::uint8_t { none, text, jsonl };

struct Options {
    enum class Mode : std::uint8_t { workload, discover };
    Mode mode = Mode::workload;

    // Peers
    std::vector<TargetUrl> targets; // one, or two for mirrored writes
    std::string initiator_name = "iqn.2026-11.example:iscsiscope-initiator";
    std::string target_user, target_secret; // mutual CHAP

    // Session
    std::vector<KeyValue> keys; // as given by --key and --digests
    unsigned connections = 1;
    DispatchPolicy dispatch = DispatchPolicy::round_robin;
    unsigned connection_depth = 0;
    std::vector<Portal> more_portals; // of further connections of the session, in turn behind the URL's
    UnsolicitedPolicy unsolicited = UnsolicitedPolicy::negotiated;
    std::chrono::nanoseconds r2t_delay{0};
    std::chrono::nanoseconds timeout = std::chrono::seconds(30);
    std::chrono::nanoseconds login_timeout = std::chrono::seconds(15);
    std::chrono::nanoseconds abort_after{0};
    std::optional<std::chrono::nanoseconds> reset_lun_at; // from the start of the run
    SocketSettings socket;
    TcpLinkSettings link;

    // Workload
    WorkloadKind workload = WorkloadKind::sequential_read;
    std::uint64_t block = 65536;      // bytes
    std::vector<std::uint64_t> split; // bytes
    unsigned depth = 1;
    unsigned open_requests = 0;
    unsigned processes = 1;
    std::chrono::nanoseconds think{0};
    double read_share = 0.5;
    std::uint64_t offset = 0;                         // bytes, where the region begins
    std::optional<std::uint64_t> span;                // bytes; nothing: to the unit's end
    std::optional<std::uint64_t> size;                // bytes to move
    std::optional<std::uint64_t> count;               // requests
    std::optional<std::chrono::nanoseconds> duration; // 0: until interrupted
    unsigned write_same_every = 0;                    // requests; 0: none
    std::uint64_t write_same_size = 8388608;          // bytes
    bool verify = false;
    bool prefill = false;
    bool keep_going = false;
    std::uint64_t seed = 1;
    AptSettings apt;

    // Output
    std::string truth;
    std::chrono::nanoseconds tcp_info = std::chrono::milliseconds(1); // 0: none
    bool json = false;
    ProgressMode progress = ProgressMode::none;
    std::chrono::nanoseconds progress_interval = std::chrono::milliseconds(500);
};

// Names of all options, without "--".
std::vector<std::string> option_names();

struct ParsedOptions {
    std::optional<Options> options; // nothing: print `text` and return exit_code
    std::string text;               // help or error
    int exit_code = 0;
};
ParsedOptions parse_options(int argc, const char *const *argv);

// The operational keys to offer: what open-iscsi offers by default, MaxConnections by the number of
// connections, then what the user set.
std::vector<KeyValue> keys_to_offer(const Options &options);

} // namespace iscsiscope::testbed::initiator
