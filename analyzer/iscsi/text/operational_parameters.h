// SPDX-License-Identifier: GPL-2.0-or-later
// The values in force on a connection and its session (RFC 7143 section 13), with their defaults.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace iscsiscope {

struct OperationalParameters {
    bool header_digest_crc32c = false;
    bool data_digest_crc32c = false;
    // The largest DataSegmentLength that each end declared to accept, bytes.
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

// The members of OperationalParameters, for ParameterSet.
enum class Parameter : std::uint8_t {
    header_digest,
    data_digest,
    max_recv_initiator,
    max_recv_target,
    max_burst_length,
    first_burst_length,
    initial_r2t,
    immediate_data,
    max_outstanding_r2t,
    max_connections,
    data_pdu_in_order,
    data_sequence_in_order,
    error_recovery_level,
    default_time2wait,
    default_time2retain,
};

// The set of parameters that are known. The values of all others are meaningless.
class ParameterSet {
public:
    constexpr ParameterSet() = default;
    constexpr ParameterSet(std::initializer_list<Parameter> list) {
        for (const Parameter p : list)
            add(p);
    }
    static constexpr ParameterSet all() {
        ParameterSet s;
        s.bits_ = 0x7fff;
        return s;
    }
    constexpr bool has(Parameter p) const { return (bits_ & bit(p)) != 0; }
    constexpr bool has_all(ParameterSet s) const { return (bits_ & s.bits_) == s.bits_; }
    constexpr void add(Parameter p) { bits_ = static_cast<std::uint16_t>(bits_ | bit(p)); }
    constexpr void remove(Parameter p) { bits_ = static_cast<std::uint16_t>(bits_ & ~bit(p)); }
    friend constexpr bool operator==(ParameterSet, ParameterSet) = default;

private:
    static constexpr std::uint16_t bit(Parameter p) {
        return static_cast<std::uint16_t>(1U << static_cast<unsigned>(p));
    }
    std::uint16_t bits_ = 0;
};

} // namespace iscsiscope
