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

struct Code {
    std::uint8_t asc, ascq;
    std::string_view name;
};

// SPC-4 annex D.2: the codes that disks, arrays and targets send in practice.
constexpr std::array codes = {
    Code{0x00, 0x00, "NO ADDITIONAL SENSE INFORMATION"},
    Code{0x00, 0x01, "FILEMARK DETECTED"},
    Code{0x00, 0x02, "END-OF-PARTITION/MEDIUM DETECTED"},
    Code{0x00, 0x16, "OPERATION IN PROGRESS"},
    Code{0x04, 0x00, "LOGICAL UNIT NOT READY, CAUSE NOT REPORTABLE"},
    Code{0x04, 0x01, "LOGICAL UNIT IS IN PROCESS OF BECOMING READY"},
    Code{0x04, 0x02, "LOGICAL UNIT NOT READY, INITIALIZING COMMAND REQUIRED"},
    Code{0x04, 0x03, "LOGICAL UNIT NOT READY, MANUAL INTERVENTION REQUIRED"},
    Code{0x04, 0x04, "LOGICAL UNIT NOT READY, FORMAT IN PROGRESS"},
    Code{0x04, 0x0a, "LOGICAL UNIT NOT ACCESSIBLE, ASYMMETRIC ACCESS STATE TRANSITION"},
    Code{0x04, 0x0b, "LOGICAL UNIT NOT ACCESSIBLE, TARGET PORT IN STANDBY STATE"},
    Code{0x04, 0x0c, "LOGICAL UNIT NOT ACCESSIBLE, TARGET PORT IN UNAVAILABLE STATE"},
    Code{0x08, 0x00, "LOGICAL UNIT COMMUNICATION FAILURE"},
    Code{0x08, 0x01, "LOGICAL UNIT COMMUNICATION TIME-OUT"},
    Code{0x0c, 0x00, "WRITE ERROR"},
    Code{0x0c, 0x0c, "WRITE ERROR - UNEXPECTED UNSOLICITED DATA"},
    Code{0x0c, 0x0d, "WRITE ERROR - NOT ENOUGH UNSOLICITED DATA"},
    Code{0x10, 0x00, "ID CRC OR ECC ERROR"},
    Code{0x10, 0x01, "LOGICAL BLOCK GUARD CHECK FAILED"},
    Code{0x10, 0x02, "LOGICAL BLOCK APPLICATION TAG CHECK FAILED"},
    Code{0x10, 0x03, "LOGICAL BLOCK REFERENCE TAG CHECK FAILED"},
    Code{0x11, 0x00, "UNRECOVERED READ ERROR"},
    Code{0x14, 0x00, "RECORDED ENTITY NOT FOUND"},
    Code{0x15, 0x00, "RANDOM POSITIONING ERROR"},
    Code{0x1a, 0x00, "PARAMETER LIST LENGTH ERROR"},
    Code{0x1d, 0x00, "MISCOMPARE DURING VERIFY OPERATION"},
    Code{0x20, 0x00, "INVALID COMMAND OPERATION CODE"},
    Code{0x21, 0x00, "LOGICAL BLOCK ADDRESS OUT OF RANGE"},
    Code{0x24, 0x00, "INVALID FIELD IN CDB"},
    Code{0x25, 0x00, "LOGICAL UNIT NOT SUPPORTED"},
    Code{0x26, 0x00, "INVALID FIELD IN PARAMETER LIST"},
    Code{0x26, 0x02, "PARAMETER VALUE INVALID"},
    Code{0x27, 0x00, "WRITE PROTECTED"},
    Code{0x27, 0x07, "SPACE ALLOCATION FAILED WRITE PROTECT"},
    Code{0x28, 0x00, "NOT READY TO READY CHANGE, MEDIUM MAY HAVE CHANGED"},
    Code{0x29, 0x00, "POWER ON, RESET, OR BUS DEVICE RESET OCCURRED"},
    Code{0x29, 0x01, "POWER ON OCCURRED"},
    Code{0x29, 0x02, "SCSI BUS RESET OCCURRED"},
    Code{0x29, 0x03, "BUS DEVICE RESET FUNCTION OCCURRED"},
    Code{0x29, 0x04, "DEVICE INTERNAL RESET"},
    Code{0x29, 0x07, "I_T NEXUS LOSS OCCURRED"},
    Code{0x2a, 0x01, "MODE PARAMETERS CHANGED"},
    Code{0x2a, 0x03, "RESERVATIONS PREEMPTED"},
    Code{0x2a, 0x04, "RESERVATIONS RELEASED"},
    Code{0x2a, 0x05, "REGISTRATIONS PREEMPTED"},
    Code{0x2a, 0x06, "ASYMMETRIC ACCESS STATE CHANGED"},
    Code{0x2a, 0x09, "CAPACITY DATA HAS CHANGED"},
    Code{0x2c, 0x00, "COMMAND SEQUENCE ERROR"},
    Code{0x2f, 0x00, "COMMANDS CLEARED BY ANOTHER INITIATOR"},
    Code{0x31, 0x00, "MEDIUM FORMAT CORRUPTED"},
    Code{0x38, 0x07, "THIN PROVISIONING SOFT THRESHOLD REACHED"},
    Code{0x39, 0x00, "SAVING PARAMETERS NOT SUPPORTED"},
    Code{0x3a, 0x00, "MEDIUM NOT PRESENT"},
    Code{0x3e, 0x01, "LOGICAL UNIT FAILURE"},
    Code{0x3f, 0x00, "TARGET OPERATING CONDITIONS HAVE CHANGED"},
    Code{0x3f, 0x03, "INQUIRY DATA HAS CHANGED"},
    Code{0x3f, 0x0e, "REPORTED LUNS DATA HAS CHANGED"},
    Code{0x44, 0x00, "INTERNAL TARGET FAILURE"},
    Code{0x47, 0x03, "INFORMATION UNIT iuCRC ERROR DETECTED"},
    Code{0x47, 0x05, "PROTOCOL SERVICE CRC ERROR"},
    Code{0x47, 0x7f, "SOME COMMANDS CLEARED BY ISCSI PROTOCOL EVENT"},
    Code{0x49, 0x00, "INVALID MESSAGE ERROR"},
    Code{0x4b, 0x00, "DATA PHASE ERROR"},
    Code{0x4e, 0x00, "OVERLAPPED COMMANDS ATTEMPTED"},
    Code{0x55, 0x00, "SYSTEM RESOURCE FAILURE"},
    Code{0x55, 0x03, "INSUFFICIENT RESOURCES"},
    Code{0x5d, 0x00, "FAILURE PREDICTION THRESHOLD EXCEEDED"},
    Code{0x67, 0x0a, "SET TARGET PORT GROUPS COMMAND FAILED"},
};

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

std::string_view sense_code_name(std::uint8_t asc, std::uint8_t ascq) {
    const auto it =
        std::ranges::find_if(codes, [&](const Code &c) { return c.asc == asc && c.ascq == ascq; });
    return it == codes.end() ? std::string_view() : it->name;
}

} // namespace iscsiscope
