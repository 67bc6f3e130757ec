// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/protocol_words.h"

#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_codes.h"
#include "analyzer/query/cell.h"
#include "analyzer/words/code_words.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

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

std::string with_code(std::string_view what, std::string_view words, std::uint8_t code) {
    return words.empty() ? fmt::format("{}: code {}", what, code) : fmt::format("{}: {}", what, words);
}

} // namespace

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
        return with_code("Reject", reject_reason(static_cast<std::uint8_t>(code)), code);
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

} // namespace iscsiscope
