// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/segment.h"

#include <arpa/inet.h>

namespace iscsiscope {

std::string to_text(const IpAddress &address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address.is_v4())
        ::inet_ntop(AF_INET, address.bytes.data() + 12, text, sizeof text);
    else
        ::inet_ntop(AF_INET6, address.bytes.data(), text, sizeof text);
    return text;
}

std::string to_text(const MacAddress &mac) {
    std::string text;
    for (const std::uint8_t byte : mac) {
        constexpr char digits[] = "0123456789abcdef";
        text += text.empty() ? "" : ":";
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::string to_text(const Endpoint &e) {
    const std::string address = to_text(e.address), port = std::to_string(e.port);
    return e.address.is_v4() ? address + ":" + port : "[" + address + "]:" + port;
}

} // namespace iscsiscope
