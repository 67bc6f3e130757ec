// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/capture/capture_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/report.h"
#include "analyzer/words/code_words.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

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

} // namespace

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

std::string_view link_type_words(std::uint32_t link_type) {
    return look_up(link_types, link_type);
}

std::string_view port_words(std::uint16_t port) {
    return look_up(ports, port);
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

} // namespace iscsiscope
