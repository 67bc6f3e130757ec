// SPDX-License-Identifier: GPL-2.0-or-later
// The values in force on a connection and its session (RFC 7143 section 13), with their defaults.
#pragma once

#include <cstdint>

namespace iscsiscope {

struct OperationalParameters {
    bool header_digest_crc32c = false;
    bool data_digest_crc32c = false;
    // Largest DataSegmentLength that each end has declared it takes, bytes.
    std::uint32_t max_recv_data_segment_length_initiator = 8192; // limits Data-In
    std::uint32_t max_recv_data_segment_length_target = 8192;    // limits Data-Out and immediate data
    std::uint32_t max_burst_length = 262144;                     // bytes
    std::uint32_t first_burst_length = 65536;                    // bytes
    bool initial_r2t = true;
    bool immediate_data = true;
    std::uint32_t max_outstanding_r2t = 1;
    std::uint32_t max_connections = 1;
    bool data_pdu_in_order = true;
    bool data_sequence_in_order = true;
    std::uint32_t error_recovery_level = 0;
    std::uint32_t default_time2wait = 2;    // seconds
    std::uint32_t default_time2retain = 20; // seconds

    friend bool operator==(const OperationalParameters &, const OperationalParameters &) = default;
};

} // namespace iscsiscope
