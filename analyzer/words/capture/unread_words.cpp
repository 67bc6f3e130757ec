// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/capture/unread_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/pipeline/read_capture.h"

#include <fmt/format.h>
#include <iterator>

namespace iscsiscope {

std::string unread_words(const UnreadTraffic &u) {
    constexpr std::string_view names[] = {"RoCE v1, RDMA over Ethernet",
                                          "RoCE v2, RDMA over UDP",
                                          "iWARP, RDMA over TCP",
                                          "TLS on a port of iSCSI",
                                          "IPsec (ESP)",
                                          "MACsec (IEEE 802.1AE)"};
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
    case UnreadKind::macsec:
        return "It is encrypted from port to port: what it carries cannot be seen. Capture at a host, or at "
               "a "
               "port of the switch without MACsec.";
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

} // namespace iscsiscope
