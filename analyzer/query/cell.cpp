// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/cell.h"

#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/iscsi/scsi/cdb.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/iscsi/scsi/sense.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

char *put_hex(char *out, std::byte b) {
    constexpr char digits[] = "0123456789abcdef";
    const auto v = std::to_integer<unsigned>(b);
    *out++ = digits[v >> 4];
    *out++ = digits[v & 15];
    return out;
}

std::string_view upto(const Scratch &s, const char *end) {
    return {s.data(), static_cast<std::size_t>(end - s.data())};
}

// RFC 7143 section 11.2.2.3: AHSType 1, one reserved byte, then the rest of the CDB.
std::span<const std::byte> extended_cdb(std::span<const std::byte> ahs) {
    while (ahs.size() >= 4) {
        const std::size_t length = wire::load16(ahs.data()); // bytes after AHSType
        const std::size_t whole = (length + 3 + 3) & ~std::size_t{3};
        if ((wire::load8(ahs.data() + 2) & 0x3f) == 1 && length >= 1)
            return ahs.subspan(4, std::min(length - 1, ahs.size() - 4));
        if (whole >= ahs.size())
            break;
        ahs = ahs.subspan(whole);
    }
    return {};
}

} // namespace

std::string_view lun_cell(std::uint64_t lun, Scratch &s) {
    if (const auto number = lun_number(Lun{lun}))
        return upto(s, fmt::format_to_n(s.data(), s.size(), "{}", *number).out);
    return upto(s, fmt::format_to_n(s.data(), s.size(), "0x{:016x}", lun).out);
}

std::string_view address_cell(const IpAddress &a, Scratch &s) {
    const std::string text = to_text(a);
    std::memcpy(s.data(), text.data(), text.size());
    return {s.data(), text.size()};
}

std::string_view sense_cell(std::uint32_t sense, Scratch &s) {
    if ((sense & sense_code_cut) != 0)
        return upto(s, fmt::format_to_n(s.data(), s.size(), "{:x}h", sense_key_of(sense)).out);
    return upto(s, fmt::format_to_n(s.data(), s.size(), "{:x}h/{:02x}h/{:02x}h", sense_key_of(sense),
                                    sense >> 8 & 0xff, sense & 0xff)
                       .out);
}

std::string_view command_cell(std::uint8_t opcode, std::optional<std::uint16_t> service_action, Scratch &s) {
    std::array<std::byte, 32> cdb{};
    cdb[0] = std::byte{opcode};
    if (service_action && opcode == 0x7f) { // variable length: the service action is at bytes 8 and 9
        cdb[7] = std::byte{24};
        cdb[8] = static_cast<std::byte>(*service_action >> 8);
        cdb[9] = static_cast<std::byte>(*service_action & 0xff);
    } else if (service_action) {
        cdb[1] = static_cast<std::byte>(*service_action & 0x1f);
    }
    const CommandInfo info = parse_cdb(cdb);
    if (info.known)
        return info.name;
    return upto(s, fmt::format_to_n(s.data(), s.size(), "opcode 0x{:02x}", opcode).out);
}

std::string_view cdb_cell(std::span<const std::byte, 16> cdb, std::span<const std::byte> ahs, Scratch &s) {
    char *out = s.data();
    for (const std::byte b : cdb)
        out = put_hex(out, b);
    // A CDB has at most 260 bytes (SPC-4 section 4.3).
    const auto rest = extended_cdb(ahs);
    for (const std::byte b : rest.first(std::min<std::size_t>(rest.size(), 244)))
        out = put_hex(out, b);
    return upto(s, out);
}

} // namespace iscsiscope
