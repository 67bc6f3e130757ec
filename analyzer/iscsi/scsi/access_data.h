// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the data by which hosts and targets agree on who may use a logical unit and over which ports:
// PERSISTENT RESERVE IN and OUT (SPC-4 sections 6.15 and 6.16), REPORT TARGET PORT GROUPS (section 6.27).
// All functions check every length in the data and return what is complete in it; nullopt if that is nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// The parameter list of PERSISTENT RESERVE OUT.
struct ReserveOutKeys {
    std::uint64_t key = 0;     // RESERVATION KEY: that of the sender, as registered
    std::uint64_t new_key = 0; // SERVICE ACTION RESERVATION KEY: to register, or whose rights to take away
};
std::optional<ReserveOutKeys> parse_reserve_out(std::span<const std::byte>);

// One key in an answer to PERSISTENT RESERVE IN.
struct Registrant {
    std::uint64_t key = 0;
    bool holder = false;              // of the reservation
    std::optional<std::uint8_t> type; // of the reservation that it holds
    std::string name;                 // of the initiator; empty: not in this answer
    friend bool operator==(const Registrant &, const Registrant &) = default;
};
enum class ReserveIn : std::uint8_t { read_keys = 0, read_reservation = 1, read_full_status = 3 };
// The keys in the answer to this service action; an empty list: no key, or no reservation. nullopt for other
// service actions.
std::optional<std::vector<Registrant>> parse_reserve_in(std::uint16_t service_action,
                                                        std::span<const std::byte>);

enum class ReserveOut : std::uint8_t {
    registers = 0,
    reserve = 1,
    release = 2,
    clear = 3,
    preempt = 4,
    preempt_and_abort = 5,
    register_and_ignore = 6, // the key that was registered before
    register_and_move = 7,
};
// "reserves", "preempts and aborts"; empty: not one of these.
std::string_view words(ReserveOut);
// "Write Exclusive", "Exclusive Access - Registrants Only"; empty: a reserved code. Of the byte of scope and
// type only the type counts.
std::string_view reservation_type_name(std::uint8_t scope_and_type);

// Asymmetric access states (SPC-4 section 5.15.2.4).
enum class PortState : std::uint8_t {
    optimized = 0,
    non_optimized = 1,
    standby = 2,
    unavailable = 3,
    lba_dependent = 4,
    offline = 0xe,
    transitioning = 0xf,
};
std::string_view words(PortState); // "active/optimized", "standby"; "a reserved state" for other codes

struct PortGroup {
    std::uint16_t group = 0;
    PortState state{};
    bool preferred = false;
    friend bool operator==(const PortGroup &, const PortGroup &) = default;
};
std::optional<std::vector<PortGroup>> parse_port_groups(std::span<const std::byte>);

} // namespace iscsiscope
