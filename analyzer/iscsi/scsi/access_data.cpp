// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/access_data.h"

#include "analyzer/base/text/utf8.h"
#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

// The list behind an answer's header of 8 bytes, the latter half of which is the list's length.
std::span<const std::byte> list_of(std::span<const std::byte> data) {
    return data.subspan(8, std::min(data.size() - 8, std::size_t{wire::load32(&data[4])}));
}

// The iSCSI name in a TransportID (SPC-4 section 7.6.4.7); empty for other protocols.
std::string name_of(std::span<const std::byte> id) {
    if (id.size() < 4 || (wire::load8(&id[0]) & 0x0f) != 5)
        return {};
    const auto text = id.subspan(4, std::min(id.size() - 4, std::size_t{wire::load16(&id[2])}));
    std::string name;
    for (const std::byte b : text) {
        if (b == std::byte{0} || b == std::byte{','}) // the ISID follows the comma
            break;
        name.push_back(static_cast<char>(b));
    }
    return printable_text(name);
}

std::vector<Registrant> full_status(std::span<const std::byte> list) {
    constexpr std::size_t fixed = 24;
    std::vector<Registrant> all;
    while (list.size() >= fixed) {
        const std::size_t more = wire::load32(&list[20]);
        Registrant r;
        r.key = wire::load64(list.data());
        r.holder = (wire::load8(&list[12]) & 1) != 0;
        if (r.holder)
            r.type = wire::load8(&list[13]);
        r.name = name_of(list.subspan(fixed, std::min(list.size() - fixed, more)));
        all.push_back(std::move(r));
        if (more > list.size() - fixed)
            break;
        list = list.subspan(fixed + more);
    }
    return all;
}

} // namespace

std::optional<ReserveOutKeys> parse_reserve_out(std::span<const std::byte> data) {
    if (data.size() < 16)
        return std::nullopt;
    return ReserveOutKeys{wire::load64(&data[0]), wire::load64(&data[8])};
}

std::optional<std::vector<Registrant>> parse_reserve_in(std::uint16_t service_action,
                                                        std::span<const std::byte> data) {
    if (data.size() < 8)
        return std::nullopt;
    auto list = list_of(data);
    std::vector<Registrant> all;
    switch (static_cast<ReserveIn>(service_action)) {
    case ReserveIn::read_keys:
        for (; list.size() >= 8; list = list.subspan(8))
            all.push_back({wire::load64(list.data()), false, std::nullopt, {}});
        return all;
    case ReserveIn::read_reservation:
        if (list.size() >= 14)
            all.push_back({wire::load64(list.data()), true, wire::load8(&list[13]), {}});
        return all;
    case ReserveIn::read_full_status:
        return full_status(list);
    }
    return std::nullopt;
}

std::string_view words(ReserveOut action) {
    static constexpr std::array<std::string_view, 8> names = {
        "registers",           "reserves",  "releases",           "clears", "preempts",
        "preempts and aborts", "registers", "registers and moves"};
    const auto n = static_cast<std::size_t>(action);
    return n < names.size() ? names[n] : std::string_view();
}

std::string_view reservation_type_name(std::uint8_t scope_and_type) {
    switch (scope_and_type & 0x0f) {
    case 1:
        return "Write Exclusive";
    case 3:
        return "Exclusive Access";
    case 5:
        return "Write Exclusive - Registrants Only";
    case 6:
        return "Exclusive Access - Registrants Only";
    case 7:
        return "Write Exclusive - All Registrants";
    case 8:
        return "Exclusive Access - All Registrants";
    default:
        return {};
    }
}

std::string_view words(PortState state) {
    switch (state) {
    case PortState::optimized:
        return "active/optimized";
    case PortState::non_optimized:
        return "active/non-optimized";
    case PortState::standby:
        return "standby";
    case PortState::unavailable:
        return "unavailable";
    case PortState::lba_dependent:
        return "logical block dependent";
    case PortState::offline:
        return "offline";
    case PortState::transitioning:
        return "in transition";
    }
    return "a reserved state";
}

std::optional<std::vector<PortGroup>> parse_port_groups(std::span<const std::byte> data) {
    if (data.size() < 8)
        return std::nullopt;
    auto list = data.subspan(4, std::min(data.size() - 4, std::size_t{wire::load32(&data[0])}));
    // The extended header has its format code where a group has reserved bits (SPC-4 table 293).
    if (list.size() >= 4 && (wire::load8(&list[0]) & 0x70) == 0x10)
        list = list.subspan(4);
    std::vector<PortGroup> all;
    while (list.size() >= 8) {
        const std::uint8_t first = wire::load8(&list[0]);
        all.push_back({wire::load16(&list[2]), static_cast<PortState>(first & 0x0f), (first & 0x80) != 0});
        const std::size_t length = 8 + std::size_t{4} * wire::load8(&list[7]);
        list = list.subspan(std::min(length, list.size()));
    }
    return all;
}

} // namespace iscsiscope
