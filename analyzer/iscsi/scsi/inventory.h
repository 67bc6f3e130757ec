// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the data by which targets describe logical units: READ CAPACITY, INQUIRY, VPD pages, REPORT LUNS.
// All functions take the data of one command as far as it is known and check every length in it; they return
// nullopt if the data is too short or of another kind.
#pragma once

#include "analyzer/iscsi/codec/tags.h"
#include "analyzer/iscsi/scsi/cdb.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope {

struct Capacity {
    std::uint64_t last_lba = 0;
    std::uint32_t block_length = 0; // bytes, never 0
};
// nullopt also for a last LBA of 0xffffffff, which refers to READ CAPACITY(16).
std::optional<Capacity> parse_read_capacity_10(std::span<const std::byte>);
std::optional<Capacity> parse_read_capacity_16(std::span<const std::byte>);

struct Inquiry {
    DeviceType device_type = DeviceType::unknown;
    std::uint8_t qualifier = 0;            // peripheral qualifier; 0: a device is connected
    std::string vendor, product, revision; // trailing spaces removed, non-ASCII bytes as '?'
};
std::optional<Inquiry> parse_inquiry(std::span<const std::byte>);

// VPD page 0x80; empty string: a blank serial number. nullopt: not this page.
std::optional<std::string> parse_unit_serial_number(std::span<const std::byte>);

// VPD page 0x83.
struct Designator {
    std::uint8_t association = 0; // 0 logical unit, 1 target port, 2 target device
    std::uint8_t type = 0;        // 1 T10 vendor, 2 EUI-64, 3 NAA, 4 relative port, 5 group, 8 SCSI name
    bool text = false;            // ASCII or UTF-8
    std::string value;            // the text, or hexadecimal digits
    friend bool operator==(const Designator &, const Designator &) = default;
};
// The designators that are complete in the data.
std::optional<std::vector<Designator>> parse_device_identification(std::span<const std::byte>);
// The designator that best identifies a logical unit (in order: NAA, EUI-64, SCSI name, T10), as
// "naa.6001405..."; empty if there is none.
std::string best_identity(std::span<const Designator>);
// The target port group of the port that answers; nullopt: not among the designators.
std::optional<std::uint16_t> port_group_of(std::span<const Designator>);

// REPORT LUNS.
struct LunList {
    std::vector<Lun> luns; // the entries that are complete in the data
    bool whole = false;    // the target listed no others
};
std::optional<LunList> parse_report_luns(std::span<const std::byte>);

} // namespace iscsiscope
