// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/wording.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/number_format.h"
#include "analyzer/figures/report.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/model/model.h"
#include "analyzer/query/cell.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>

namespace iscsiscope {
namespace {

struct CodeWords {
    std::uint32_t code;
    std::string_view words;
};

template <std::size_t N>
std::string_view look_up(const CodeWords (&table)[N], std::uint32_t code) {
    for (const CodeWords &w : table)
        if (w.code == code)
            return w.words;
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

// Section 11.13.5: status class and detail.
constexpr CodeWords login_statuses[] = {
    {0x0000, "success"},
    {0x0101, "target moved temporarily"},
    {0x0102, "target moved permanently"},
    {0x0200, "initiator error"},
    {0x0201, "authentication failure"},
    {0x0202, "authorization failure"},
    {0x0203, "target not found"},
    {0x0204, "target removed"},
    {0x0205, "unsupported version"},
    {0x0206, "too many connections"},
    {0x0207, "missing parameter"},
    {0x0208, "cannot include in session"},
    {0x0209, "session type not supported"},
    {0x020a, "session does not exist"},
    {0x020b, "invalid request during login"},
    {0x0300, "target hardware or software error"},
    {0x0301, "service unavailable"},
    {0x0302, "out of resources"},
};
// SPC-6: peripheral device types.
constexpr CodeWords device_types[] = {
    {0x00, "disk"},      {0x01, "tape"},          {0x03, "processor"},
    {0x05, "CD/DVD"},    {0x08, "media changer"}, {0x0c, "storage array controller"},
    {0x0d, "enclosure"},
};
// https://www.tcpdump.org/linktypes.html
constexpr CodeWords link_types[] = {
    {0, "loopback"},   {108, "loopback"}, {1, "Ethernet"},
    {12, "raw IP"},    {101, "raw IP"},   {113, "Linux cooked (SLL)"},
    {228, "raw IPv4"}, {229, "raw IPv6"}, {276, "Linux cooked (SLL2)"},
};
constexpr CodeWords ports[] = {
    {22, "SSH"},
    {25, "SMTP"},
    {53, "DNS"},
    {80, "HTTP"},
    {8080, "HTTP"},
    {111, "RPC portmapper"},
    {179, "BGP"},
    {389, "LDAP"},
    {443, "HTTPS"},
    {8443, "HTTPS"},
    {445, "SMB"},
    {860, "iSCSI's port"},
    {3260, "iSCSI's port"},
    {902, "VMware"},
    {2049, "NFS"},
    {3205, "iSNS"},
    {3306, "MySQL"},
    {4420, "NVMe/TCP"},
    {8009, "NVMe/TCP"},
    {5432, "PostgreSQL"},
    {6789, "Ceph"},
    {10809, "NBD"},
};
std::string with_code(std::string_view what, std::string_view words, std::uint8_t code) {
    return words.empty() ? fmt::format("{}: code {}", what, code) : fmt::format("{}: {}", what, words);
}

} // namespace

std::string_view explanation(std::optional<GapKind> k) {
    return k ? clause_of(fmt::format("gap.{}", name(*k))) : "packets following each other";
}

std::string_view explanation(Owner o) {
    return clause_of(fmt::format("owner.{}", name(o)));
}

std::string_view explanation(ConnectionOutcome o) {
    return clause_of(fmt::format("connection.{}", name(o)));
}

std::string position_words(const CapturePosition &p) {
    constexpr double near = 0.1, surely_near = 0.25; // shares of the round trip
    if (p.value < near && p.high < surely_near)
        return "at the initiator";
    if (p.value > 1 - near && p.low > 1 - surely_near)
        return "at the target";
    constexpr double too_wide = 0.5;
    if (p.high - p.low > too_wide) {
        const std::string unknown = "at a place that is not known";
        return p.low < 0.005 && p.high > 0.995
                   ? unknown
                   : fmt::format("{} ({:.2f} to {:.2f} of the way to the target)", unknown, p.low, p.high);
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

std::string login_status_words(std::uint8_t status_class, std::uint8_t detail) {
    const std::string_view words = look_up(login_statuses, std::uint32_t{status_class} << 8 | detail);
    return fmt::format("{} (class {}, detail {})", words.empty() ? "unknown status" : words, status_class,
                       detail);
}

std::string command_words(std::uint8_t opcode, std::optional<std::uint16_t> service_action) {
    Scratch scratch;
    return std::string(command_cell(opcode, service_action, scratch));
}

namespace {
std::string spaced(std::string_view name) {
    std::string s(name);
    std::replace(s.begin(), s.end(), '_', ' ');
    return s;
}
} // namespace

std::string_view words(Bottleneck b) {
    switch (b) {
    case Bottleneck::latency:
        return "the cycle time and the commands in flight";
    case Bottleneck::path_rate:
        return "the rate of the path";
    case Bottleneck::window:
        return "the TCP windows";
    case Bottleneck::loss:
        return "the losses";
    case Bottleneck::host:
        return "the host's pauses between commands";
    }
    return "";
}

std::string words(FindingKind kind) {
    return spaced(name(kind));
}

std::string words(ConnectionOutcome outcome) {
    return spaced(name(outcome));
}

std::string_view outcome_words(TaskOutcome o) {
    switch (o) {
    case TaskOutcome::good:
        return "good";
    case TaskOutcome::check_condition:
        return "CHECK CONDITION";
    case TaskOutcome::busy:
        return "BUSY";
    case TaskOutcome::task_set_full:
        return "TASK SET FULL";
    case TaskOutcome::reservation_conflict:
        return "RESERVATION CONFLICT";
    case TaskOutcome::other_status:
        return "with another status";
    case TaskOutcome::aborted:
        return "aborted";
    case TaskOutcome::reset:
        return "ended by a reset";
    case TaskOutcome::rejected:
        return "rejected";
    case TaskOutcome::connection_lost:
        return "lost with the connection";
    case TaskOutcome::logout:
        return "open at a logout";
    case TaskOutcome::unanswered:
        return "without an answer";
    case TaskOutcome::no_command:
        return "without their command";
    }
    return "";
}

std::string sense_words(std::uint32_t sense) {
    const std::uint8_t key = sense_key_of(sense);
    if ((sense & sense_code_cut) != 0)
        return fmt::format("{} ({:02x}, the rest of its sense data is cut)", sense_key_name(key), key);
    const auto asc = static_cast<std::uint8_t>(sense >> 8 & 0xff);
    const auto ascq = static_cast<std::uint8_t>(sense & 0xff);
    const std::string_view code = sense_code_name(asc, ascq);
    return fmt::format("{}{}{} ({:02x}/{:02x}/{:02x})", sense_key_name(key), code.empty() ? "" : ", ", code,
                       key, asc, ascq);
}

std::string_view device_words(std::optional<std::uint8_t> type) {
    const std::string_view words = type ? look_up(device_types, *type & 0x1fu) : "";
    return type && words.empty() ? "device" : words;
}

std::string_view link_type_words(std::uint32_t link_type) {
    return look_up(link_types, link_type);
}

std::string_view port_words(std::uint16_t port) {
    return look_up(ports, port);
}

std::string unread_words(const UnreadTraffic &u) {
    constexpr std::string_view names[] = {"RoCE v1, RDMA over Ethernet", "RoCE v2, RDMA over UDP",
                                          "iWARP, RDMA over TCP", "TLS on a port of iSCSI", "IPsec (ESP)"};
    static_assert(std::size(names) == unread_kind_count);
    std::string s = fmt::format("{}: {}", names[static_cast<std::size_t>(u.kind)],
                                human::plural(u.packets, "packet", "packets"));
    if (u.connections)
        s += fmt::format(" of {}", human::plural(*u.connections, "connection", "connections"));
    return s;
}

std::string_view unread_reason(const UnreadTraffic &u) {
    switch (u.kind) {
    case UnreadKind::roce_v1:
    case UnreadKind::roce_v2:
        return "iSCSI over RDMA is iSER: it is not TCP, and is not readable here. Take its figures from the "
               "two hosts.";
    case UnreadKind::iwarp:
        return "iSCSI over RDMA is iSER, and is not readable here. Take its figures from the two hosts.";
    case UnreadKind::tls:
        return "It is encrypted: whether it is iSCSI cannot be seen. Capture where TLS ends, behind the "
               "proxy "
               "that adds it.";
    case UnreadKind::ipsec:
        return "It is encrypted: what it carries cannot be seen. Capture where IPsec ends.";
    }
    return "";
}

std::string unread_summary(const CaptureSummary &c) {
    std::string s;
    for (const UnreadTraffic &u : c.unread) {
        if (!s.empty())
            s += "; ";
        s += unread_words(u);
    }
    return s;
}

std::string unanswered_doubt(const Report &r, std::uint64_t unanswered, std::uint64_t without_command) {
    const IscsiCoverage &c = r.capture.coverage;
    if (unanswered + without_command == 0 || (c.cut_bytes == 0 && c.unseen_bytes == 0))
        return {};
    std::string text;
    if (unanswered != 0)
        text = fmt::format("{} as unanswered", human::plural(unanswered, "task stands", "tasks stand"));
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

std::string modelled_tasks(const ModelInput &m) {
    const char *types = m.type == TaskType::read ? "Reads" : "Writes";
    const std::string tasks =
        m.tasks < m.tasks_of_type
            ? fmt::format("{} of {} {}, of", human::count(m.tasks), human::count(m.tasks_of_type), types)
            : fmt::format("{} {} of", human::count(m.tasks), types);
    return fmt::format("{} {}, {} in {} with one of them open", tasks,
                       human::block(static_cast<std::uint64_t>(std::llround(m.block))),
                       human::bytes(static_cast<std::uint64_t>(m.bytes)),
                       human::duration(std::llround(m.data_time)));
}

} // namespace iscsiscope
