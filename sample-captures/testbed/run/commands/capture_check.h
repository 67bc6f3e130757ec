// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/run/host_setup.h"

#include <cstdint>
#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// One packet of a capture the shim wrote (whole files of ours only, not pcapng at large).
struct CapturedPacket {
    std::int64_t time_ns = 0;
    shim::PacketInfo info;
    bool checksum_right = true; // of TCP, where the whole packet was kept
};
Result<std::vector<CapturedPacket>> read_capture(const std::string &path);

// What became of every packet from `source` to `destination`, from the captures at both ends alone,
// held against the shim's drop log.
struct PathCheck {
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
    std::uint64_t missing = 0;            // sent and not arrived, by the captures
    std::uint64_t logged = 0;             // dropped or in flight at the end, by the log
    std::uint64_t missing_not_logged = 0; // disagreements
    std::uint64_t logged_not_missing = 0; // likewise
    std::uint64_t out_of_nothing = 0;     // arrived and never sent
    std::vector<std::int64_t> transit_ns; // of each that arrived, in order of sending
};
struct PathEnd {
    std::string host;
    shim::Ipv4 address = 0;
};
// `prefix` is "folder/name" of a run's results. No duplication may have been asked for.
Result<PathCheck> check_path(const std::string &prefix, const PathEnd &source, const PathEnd &destination);

// Bytes a second that `receiver` acknowledged to all its peers from `from_ns` after its capture's first
// packet to `until_ns` after it.
Result<double> acknowledged_rate(const std::string &prefix, const std::string &receiver, std::int64_t from_ns,
                                 std::int64_t until_ns);

// Nearest rank; 0 of nothing.
std::int64_t quantile_of(std::vector<std::int64_t> values, double q);

} // namespace iscsiscope::testbed::run
