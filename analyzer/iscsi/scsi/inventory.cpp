// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/inventory.h"

#include "analyzer/base/text/utf8.h"
#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

// A field of text of fixed width, with filler at both ends removed. SPC-4 has it in ASCII or UTF-8; other
// bytes and control characters are escaped.
std::string text_field(std::span<const std::byte> bytes) {
    std::string s;
    for (const std::byte b : bytes)
        s.push_back(b == std::byte{0} ? ' ' : static_cast<char>(b));
    const auto first = s.find_first_not_of(' ');
    const auto last = s.find_last_not_of(' ');
    return first == std::string::npos ? std::string() : printable_text(s.substr(first, last - first + 1));
}

std::string hexadecimal(std::span<const std::byte> bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string s;
    for (const std::byte b : bytes) {
        const auto v = std::to_integer<unsigned>(b);
        s.push_back(digits[v >> 4]);
        s.push_back(digits[v & 15]);
    }
    return s;
}

DeviceType device_type(std::byte b) {
    const auto v = static_cast<DeviceType>(std::to_integer<std::uint8_t>(b) & 0x1f);
    switch (v) {
    case DeviceType::disk:
    case DeviceType::tape:
    case DeviceType::cd:
    case DeviceType::changer:
        return v;
    default:
        return DeviceType::unknown;
    }
}

// The body of a VPD page as far as it is known; nullopt if the data is another page.
std::optional<std::span<const std::byte>> vpd_body(std::span<const std::byte> data, std::uint8_t page) {
    if (data.size() < 4 || wire::load8(&data[1]) != page)
        return std::nullopt;
    return data.subspan(4, std::min(data.size() - 4, std::size_t{wire::load16(&data[2])}));
}

} // namespace

std::optional<Capacity> parse_read_capacity_10(std::span<const std::byte> data) {
    if (data.size() < 8)
        return std::nullopt;
    const Capacity c{wire::load32(&data[0]), wire::load32(&data[4])};
    if (c.last_lba == 0xffffffff || c.block_length == 0)
        return std::nullopt;
    return c;
}

std::optional<Capacity> parse_read_capacity_16(std::span<const std::byte> data) {
    if (data.size() < 12)
        return std::nullopt;
    const Capacity c{wire::load64(&data[0]), wire::load32(&data[8])};
    if (c.block_length == 0)
        return std::nullopt;
    return c;
}

std::optional<Inquiry> parse_inquiry(std::span<const std::byte> data) {
    if (data.empty())
        return std::nullopt;
    Inquiry i;
    i.device_type = device_type(data[0]);
    i.qualifier = wire::load8(&data[0]) >> 5;
    if (data.size() >= 16)
        i.vendor = text_field(data.subspan(8, 8));
    if (data.size() >= 32)
        i.product = text_field(data.subspan(16, 16));
    if (data.size() >= 36)
        i.revision = text_field(data.subspan(32, 4));
    return i;
}

std::optional<std::string> parse_unit_serial_number(std::span<const std::byte> data) {
    const auto body = vpd_body(data, 0x80);
    if (!body)
        return std::nullopt;
    return text_field(*body);
}

std::optional<std::vector<Designator>> parse_device_identification(std::span<const std::byte> data) {
    auto body = vpd_body(data, 0x83);
    if (!body)
        return std::nullopt;
    std::vector<Designator> list;
    auto left = *body;
    // Code set, association and type, reserved, length (SPC-4 section 7.8.6).
    while (left.size() >= 4) {
        const std::size_t length = wire::load8(&left[3]);
        if (length > left.size() - 4)
            break;
        const std::uint8_t code_set = wire::load8(&left[0]) & 0x0f;
        const auto value = left.subspan(4, length);
        Designator d;
        d.association = (wire::load8(&left[1]) >> 4) & 0x03;
        d.type = wire::load8(&left[1]) & 0x0f;
        d.text = code_set == 2 || code_set == 3;
        d.value = d.text ? text_field(value) : hexadecimal(value);
        list.push_back(std::move(d));
        left = left.subspan(4 + length);
    }
    return list;
}

std::string best_identity(std::span<const Designator> list) {
    struct Kind {
        std::uint8_t type;
        std::string_view prefix;
    };
    static constexpr std::array kinds = {Kind{3, "naa."}, Kind{2, "eui."}, Kind{8, ""}, Kind{1, "t10."}};
    for (const auto &kind : kinds)
        for (const auto &d : list)
            if (d.association == 0 && d.type == kind.type && !d.value.empty())
                return std::string(kind.prefix) + d.value;
    return {};
}

std::optional<std::uint16_t> port_group_of(std::span<const Designator> list) {
    for (const Designator &d : list)
        if (d.association == 1 && d.type == 5 && !d.text &&
            d.value.size() == 8) // two reserved bytes, two of it
            return static_cast<std::uint16_t>(std::stoul(d.value.substr(4), nullptr, 16));
    return std::nullopt;
}

std::optional<LunList> parse_report_luns(std::span<const std::byte> data) {
    if (data.size() < 8)
        return std::nullopt;
    const std::size_t length = wire::load32(&data[0]);
    LunList list;
    auto left = data.subspan(8, std::min(data.size() - 8, length));
    list.whole = left.size() == length;
    for (; left.size() >= 8; left = left.subspan(8))
        list.luns.push_back(Lun{wire::load64(left.data())});
    return list;
}

} // namespace iscsiscope
