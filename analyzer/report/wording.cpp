// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/wording.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/number_format.h"
#include "analyzer/figures/report.h"
#include "analyzer/iscsi/scsi/cdb.h"
#include "analyzer/iscsi/scsi/sense.h"

#include <array>
#include <cstddef>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

struct CodeWords {
    std::uint8_t code;
    std::string_view words;
};

template <std::size_t N>
std::string_view look_up(const CodeWords (&table)[N], std::uint8_t code) {
    for (const CodeWords &w : table) {
        if (w.code == code) {
            return w.words;
        }
    }
    return {};
}

// RFC 7143 section 11.5.1.
constexpr CodeWords task_functions[] = {
    {1, "ABORT TASK"},         {2, "ABORT TASK SET"},    {3, "CLEAR ACA"},         {4, "CLEAR TASK SET"},
    {5, "LOGICAL UNIT RESET"}, {6, "TARGET WARM RESET"}, {7, "TARGET COLD RESET"}, {8, "TASK REASSIGN"},
};
// Section 11.6.1.
constexpr CodeWords task_responses[] = {
    {0, "function complete"},
    {1, "task does not exist"},
    {2, "LUN does not exist"},
    {3, "task still allegiant"},
    {4, "task allegiance reassignment not supported"},
    {5, "function not supported"},
    {6, "function authorization failed"},
    {255, "function rejected"},
};
// Section 11.9.1.
constexpr CodeWords async_events[] = {
    {0, "SCSI asynchronous event"},      {1, "target requests logout"},
    {2, "target drops this connection"}, {3, "target drops all connections of the session"},
    {4, "target requests negotiation"},  {5, "all active tasks on the LUN terminated"},
    {255, "vendor-specific event"},
};
// Section 11.14.1.
constexpr CodeWords logout_reasons[] = {
    {0, "close the session"}, {1, "close the connection"}, {2, "remove the connection for recovery"}};
// Section 11.15.1.
constexpr CodeWords logout_responses[] = {
    {0, "closed"}, {1, "CID not found"}, {2, "connection recovery not supported"}, {3, "cleanup failed"}};
// Section 11.17.1.
constexpr CodeWords reject_reasons[] = {
    {1, "reserved"},
    {2, "data digest error"},
    {3, "SNACK reject"},
    {4, "protocol error"},
    {5, "command not supported"},
    {6, "immediate command reject"},
    {7, "task in progress"},
    {8, "invalid data ACK"},
    {9, "invalid PDU field"},
    {10, "long operation reject"},
    {11, "negotiation reset"},
    {12, "waiting for logout"},
};
constexpr CodeWords snack_types[] = {
    {0, "Data or R2T"}, {1, "status"}, {2, "data acknowledgment"}, {3, "R-Data"}};

std::string with_code(std::string_view what, std::string_view words, std::uint8_t code) {
    return words.empty() ? fmt::format("{}: code {}", what, code) : fmt::format("{}: {}", what, words);
}

} // namespace

std::string_view explanation(GapKind k) {
    return clause_of(fmt::format("gap.{}", name(k)));
}

std::string_view explanation(ConnectionOutcome o) {
    return clause_of(fmt::format("connection.{}", name(o)));
}

std::string position_words(const CapturePosition &p) {
    constexpr double near = 0.1, surely_near = 0.25; // shares of the round trip
    if (p.value < near && p.high < surely_near) {
        return "at the initiator";
    }
    if (p.value > 1 - near && p.low > 1 - surely_near) {
        return "at the target";
    }
    if (p.high - p.low > 0.5) {
        return fmt::format("at a place that its round trips do not tell ({:.2f} to {:.2f} of the way)", p.low,
                           p.high);
    }
    const std::string value = fmt::format("at {:.2f} of the way to the target", p.value);
    return p.low < p.high ? fmt::format("{} ({:.2f} to {:.2f})", value, p.low, p.high) : value;
}

std::string event_words(Opcode o, std::uint8_t code) {
    switch (o) {
    case Opcode::task_management_request:
        return with_code("Task management", look_up(task_functions, code & 0x7f), code & 0x7f);
    case Opcode::task_management_response:
        return with_code("Task management answer", look_up(task_responses, code), code);
    case Opcode::async_message:
        return with_code("Async message", look_up(async_events, code), code);
    case Opcode::logout_request:
        return with_code("Logout", look_up(logout_reasons, code & 0x7f), code & 0x7f);
    case Opcode::logout_response:
        return with_code("Logout answer", look_up(logout_responses, code), code);
    case Opcode::reject:
        return with_code("Reject", look_up(reject_reasons, code), code);
    case Opcode::snack_request:
        return with_code("SNACK", look_up(snack_types, code & 0x0f), code & 0x0f);
    default:
        return std::string(name(o));
    }
}

// RFC 7143 section 11.13.5.
std::string login_status_words(std::uint8_t status_class, std::uint8_t detail) {
    std::string_view words = "unknown status";
    switch (status_class << 8 | detail) {
    case 0x0000:
        words = "success";
        break;
    case 0x0101:
        words = "target moved temporarily";
        break;
    case 0x0102:
        words = "target moved permanently";
        break;
    case 0x0200:
        words = "initiator error";
        break;
    case 0x0201:
        words = "authentication failure";
        break;
    case 0x0202:
        words = "authorization failure";
        break;
    case 0x0203:
        words = "target not found";
        break;
    case 0x0204:
        words = "target removed";
        break;
    case 0x0205:
        words = "unsupported version";
        break;
    case 0x0206:
        words = "too many connections";
        break;
    case 0x0207:
        words = "missing parameter";
        break;
    case 0x0208:
        words = "cannot include in session";
        break;
    case 0x0209:
        words = "session type not supported";
        break;
    case 0x020a:
        words = "session does not exist";
        break;
    case 0x020b:
        words = "invalid request during login";
        break;
    case 0x0300:
        words = "target hardware or software error";
        break;
    case 0x0301:
        words = "service unavailable";
        break;
    case 0x0302:
        words = "out of resources";
        break;
    default:
        break;
    }
    return fmt::format("{} (class {}, detail {})", words, status_class, detail);
}

std::string command_words(std::uint8_t opcode, std::optional<std::uint16_t> service_action) {
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
    return info.known ? std::string(info.name) : fmt::format("opcode 0x{:02x}", opcode);
}

std::string sense_words(std::uint32_t sense) {
    const std::uint8_t key = sense_key_of(sense);
    if ((sense & sense_code_cut) != 0) {
        return fmt::format("{} ({:02x}, the rest of its sense data is cut)", sense_key_name(key), key);
    }
    const auto asc = static_cast<std::uint8_t>(sense >> 8 & 0xff);
    const auto ascq = static_cast<std::uint8_t>(sense & 0xff);
    const std::string_view code = sense_code_name(asc, ascq);
    return fmt::format("{}{}{} ({:02x}/{:02x}/{:02x})", sense_key_name(key), code.empty() ? "" : ", ", code,
                       key, asc, ascq);
}

std::string_view device_words(std::optional<std::uint8_t> type) {
    if (!type) {
        return "";
    }
    switch (*type & 0x1f) {
    case 0x00:
        return "disk";
    case 0x01:
        return "tape";
    case 0x03:
        return "processor";
    case 0x05:
        return "CD/DVD";
    case 0x08:
        return "media changer";
    case 0x0c:
        return "storage array controller";
    case 0x0d:
        return "enclosure";
    default:
        return "device";
    }
}

// https://www.tcpdump.org/linktypes.html
std::string_view link_type_words(std::uint32_t link_type) {
    switch (link_type) {
    case 0:
    case 108:
        return "loopback";
    case 1:
        return "Ethernet";
    case 12:
    case 101:
        return "raw IP";
    case 113:
        return "Linux cooked (SLL)";
    case 228:
        return "raw IPv4";
    case 229:
        return "raw IPv6";
    case 276:
        return "Linux cooked (SLL2)";
    default:
        return "";
    }
}

std::string_view port_words(std::uint16_t port) {
    switch (port) {
    case 22:
        return "SSH";
    case 25:
        return "SMTP";
    case 53:
        return "DNS";
    case 80:
    case 8080:
        return "HTTP";
    case 111:
        return "RPC portmapper";
    case 179:
        return "BGP";
    case 389:
        return "LDAP";
    case 443:
    case 8443:
        return "HTTPS";
    case 445:
        return "SMB";
    case 860:
    case 3260:
        return "iSCSI's port";
    case 902:
        return "VMware";
    case 2049:
        return "NFS";
    case 3205:
        return "iSNS";
    case 3306:
        return "MySQL";
    case 4420:
    case 8009:
        return "NVMe/TCP";
    case 5432:
        return "PostgreSQL";
    case 6789:
        return "Ceph";
    case 10809:
        return "NBD";
    default:
        return "";
    }
}

std::string unanswered_doubt(const Report &r, std::uint64_t unanswered, std::uint64_t without_command) {
    const IscsiCoverage &c = r.capture.coverage;
    if (unanswered + without_command == 0 || (c.cut_bytes == 0 && c.unseen_bytes == 0)) {
        return {};
    }
    std::string text;
    if (unanswered != 0) {
        text = fmt::format("{} as unanswered", human::plural(unanswered, "task stands", "tasks stand"));
    }
    if (without_command != 0) {
        text += fmt::format("{}{} without a command", text.empty() ? "" : ", ",
                            text.empty() ? human::plural(without_command, "task stands", "tasks stand")
                                         : human::count(without_command));
    }
    // A header that begins further back in a packet than the snap length is not in the file.
    return fmt::format("{}; {} may lie in the bytes that {}", text,
                       without_command == 0 ? "their answers"
                       : unanswered == 0    ? "their commands"
                                            : "the answers and commands",
                       c.cut_bytes == 0      ? "no packet of the capture holds"
                       : c.unseen_bytes == 0 ? "the snap length cut off"
                                             : "the snap length cut off, or that no packet holds");
}

std::string range_words(const Report &r) {
    return fmt::format("only {} to {}: {}, {}; the file was read from its start",
                       r.range.begin() == Time::min() ? "the start" : human::instant(r.range.begin()),
                       r.range.end() == Time::max() ? "the end" : human::instant(r.range.end()),
                       human::plural(r.capture.range_frames, "packet", "packets"),
                       human::bytes(r.capture.range_bytes));
}

std::string of_whole_capture(const Report &r, std::string_view note) {
    return r.range.everything() ? std::string(note)
                                : fmt::format("{}; of the whole capture, not of the range alone", note);
}

} // namespace iscsiscope
