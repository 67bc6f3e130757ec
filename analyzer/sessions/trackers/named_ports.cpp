// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/named_ports.h"

#include "analyzer/iscsi/text/text_keys.h"

#include <charconv>

#include <optional>
#include <string_view>

namespace iscsiscope {
namespace {

// Returns the port of a TargetAddress "host[:port][,portal-group-tag]", 3260 if it has none; empty if it is
// no number.
std::optional<std::uint16_t> port_of_target_address(std::string_view address) {
    address = address.substr(0, address.find(','));
    // An IPv6 address stands in brackets.
    if (const auto bracket = address.rfind(']'); bracket != std::string_view::npos)
        address.remove_prefix(bracket + 1);
    const auto colon = address.rfind(':');
    if (colon == std::string_view::npos)
        return std::uint16_t{3260};
    address.remove_prefix(colon + 1);
    std::uint16_t port = 0;
    const auto end = address.data() + address.size();
    const auto parsed = std::from_chars(address.data(), end, port);
    if (parsed.ec != std::errc{} || parsed.ptr != end || port == 0)
        return std::nullopt;
    return port;
}

} // namespace

void add_named_ports(const Pdu &pdu, std::set<std::uint16_t> &ports) {
    for (const KeyValue &pair : parse_text(pdu.data))
        if (pair.key == "TargetAddress")
            if (const auto port = port_of_target_address(pair.value))
                ports.insert(*port);
}

} // namespace iscsiscope
