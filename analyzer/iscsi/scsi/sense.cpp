// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/sense.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

// Fixed format, SPC-4 section 4.5.3. Fields that the target left out are zero; fields cut here are unknown.
SenseData parse_fixed(std::span<const std::byte> s, std::size_t sent) {
    SenseData d;
    d.key = wire::load8(&s[2]) & 0x0f;
    if ((wire::load8(&s[0]) & 0x80) != 0 && s.size() >= 7) // VALID
        d.information = wire::load32(&s[3]);
    if (sent < 8)
        return d;
    if (s.size() < 8) {
        d.code_known = false;
        return d;
    }
    const std::size_t end = std::min({sent, std::size_t{8} + wire::load8(&s[7]), std::size_t{14}});
    d.code_known = end <= std::max(s.size(), std::size_t{12});
    if (d.code_known && end > 12)
        d.asc = wire::load8(&s[12]);
    if (d.code_known && end > 13)
        d.ascq = wire::load8(&s[13]);
    return d;
}

// Descriptor format, SPC-4 section 4.5.2.
SenseData parse_descriptors(std::span<const std::byte> s, std::size_t sent) {
    SenseData d;
    d.descriptor_format = true;
    d.key = wire::load8(&s[1]) & 0x0f;
    d.code_known = s.size() >= std::min(sent, std::size_t{4});
    if (s.size() >= 4) {
        d.asc = wire::load8(&s[2]);
        d.ascq = wire::load8(&s[3]);
    }
    if (s.size() < 8)
        return d;
    auto list = s.subspan(8, std::min(s.size() - 8, std::size_t{wire::load8(&s[7])}));
    while (list.size() >= 2) {
        const std::size_t length = std::size_t{2} + wire::load8(&list[1]);
        if (length > list.size())
            break;
        // The information descriptor, valid.
        if (list[0] == std::byte{0} && length >= 12 && (wire::load8(&list[2]) & 0x80) != 0)
            d.information = wire::load64(&list[4]);
        list = list.subspan(length);
    }
    return d;
}

} // namespace

std::optional<SenseData> parse_sense(std::span<const std::byte> s, std::size_t sent) {
    if (s.size() < 3)
        return std::nullopt;
    const std::uint8_t response = wire::load8(&s[0]) & 0x7f;
    if (response < 0x70 || response > 0x73)
        return std::nullopt;
    SenseData d = response < 0x72 ? parse_fixed(s, sent) : parse_descriptors(s, sent);
    d.deferred = (response & 1) != 0;
    return d;
}

std::optional<SenseData> parse_sense(std::span<const std::byte> sense) {
    return parse_sense(sense, sense.size());
}

std::span<const std::byte> sense_of_response(std::span<const std::byte> data) {
    if (data.size() < 2)
        return {};
    return data.subspan(2, std::min(data.size() - 2, std::size_t{wire::load16(data.data())}));
}

std::optional<SenseData> parse_response_sense(std::span<const std::byte> data, std::size_t sent) {
    if (data.size() < 2 || sent < 2)
        return std::nullopt;
    return parse_sense(sense_of_response(data), std::min(std::size_t{wire::load16(data.data())}, sent - 2));
}

std::string_view sense_key_name(std::uint8_t key) {
    static constexpr std::array<std::string_view, 16> names = {
        "NO SENSE",       "RECOVERED ERROR", "NOT READY",      "MEDIUM ERROR",
        "HARDWARE ERROR", "ILLEGAL REQUEST", "UNIT ATTENTION", "DATA PROTECT",
        "BLANK CHECK",    "VENDOR SPECIFIC", "COPY ABORTED",   "ABORTED COMMAND",
        "EQUAL",          "VOLUME OVERFLOW", "MISCOMPARE",     "COMPLETED"};
    return names[key & 0x0f];
}

} // namespace iscsiscope
