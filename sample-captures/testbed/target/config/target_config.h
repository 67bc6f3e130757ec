// SPDX-License-Identifier: GPL-2.0-or-later
// The configuration of a target. Its options: sample-captures/testbed/target/README.md.
#pragma once

#include "analyzer/iscsi/text/operational_parameters.h"
#include "sample-captures/testbed/auth/account.h"
#include "sample-captures/testbed/common/socket_settings.h"
#include "sample-captures/testbed/target/scsi/sense.h"
#include "sample-captures/testbed/target/service/service_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed {

enum class WindowPolicy : std::uint8_t {
    closing, // MaxCmdSN grows as commands are finished: the window closes on a full queue
    open,    // always `size` commands beyond ExpCmdSN
};

// Faults and peculiarities on purpose. A count N means "every N-th", 0 never.
struct Faults {
    bool legacy_send = false;   // header and data by two system calls, Nagle's algorithm on
    bool phase_collapse = true; // status in the last Data-In
    Nanoseconds r2t_delay{0};
    std::uint32_t r2t_cap = 0; // bytes; 0: MaxBurstLength only
    std::uint32_t command_window = 128;
    WindowPolicy window_policy = WindowPolicy::closing;
    bool silent_nops = false;
    std::uint32_t task_set_full = 0;
    std::uint32_t busy = 0;
    std::uint32_t reservation_conflict = 0;
    std::uint32_t check_condition = 0;
    Sense sense = sense::medium_error_read; // reported with check_condition
    std::uint32_t drop_response = 0;
    std::uint32_t spoil_header_digest = 0; // of Data-In PDUs
    std::uint32_t spoil_data_digest = 0;
    std::uint32_t digest_work = 0; // a data digest is computed so many times more: a slow processor
    // A Read's data comes from the medium in pieces of the send buffer's size, each after the one before.
    bool access_by_send_buffer = false;
    std::uint32_t close_after_commands = 0; // the connection is cut after so many commands
    Nanoseconds nop_interval{0};            // NOP-In pings
    Nanoseconds nop_timeout{0};             // a ping unanswered for so long ends the connection; 0: never
    Nanoseconds async_logout_after{0};      // Async Message that asks for a logout, so long after login
};

struct TargetConfig {
    std::string address = "127.0.0.1";
    std::uint16_t port = 3260;
    std::string name = "iqn.2026-11.example:disk";
    // This end's wishes; max_recv_data_segment_length_target is what it declares.
    OperationalParameters wish;
    // HeaderDigest and DataDigest: what is accepted, as a list of values in order of preference.
    std::string header_digest = "CRC32C,None", data_digest = "CRC32C,None";
    std::optional<ChapAccount> chap;        // whom the target admits
    std::optional<ChapAccount> mutual_chap; // how the target proves itself where asked
    SocketSettings sockets;
    Faults faults;
    std::string truth_path; // empty: none
    Nanoseconds truth_period = std::chrono::milliseconds(1);
    std::uint64_t seed = 1;
    bool verbose = false;
};

} // namespace iscsiscope::testbed
