// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/url.h"

#include <charconv>
#include <optional>

namespace iscsiscope::testbed::initiator {

namespace {

template <typename Number>
std::optional<Number> whole_number(std::string_view text, Number limit) {
    std::uint64_t value = 0;
    const char *const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value > limit)
        return std::nullopt;
    return static_cast<Number>(value);
}

} // namespace

std::string TargetUrl::portal() const {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<TargetUrl> parse_url(std::string_view text) {
    constexpr std::string_view scheme = "iscsi://";
    if (!text.starts_with(scheme))
        return Failure{"a target is written iscsi://[user%secret@]host[:port]/iqn/lun"};
    text.remove_prefix(scheme.size());
    TargetUrl url;
    std::string_view authority = text.substr(0, text.find('/'));
    std::string_view path = text.substr(authority.size());
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        const std::string_view account = authority.substr(0, at);
        const auto percent = account.find('%');
        if (percent == std::string_view::npos || percent == 0 || percent + 1 == account.size())
            return Failure{"the account in front of '@' must be user%secret"};
        url.user = account.substr(0, percent);
        url.secret = account.substr(percent + 1);
        authority.remove_prefix(at + 1);
    }
    std::string_view port;
    if (authority.starts_with('[')) {
        const auto close = authority.find(']');
        if (close == std::string_view::npos)
            return Failure{"an IPv6 address needs its closing bracket"};
        url.host = authority.substr(1, close - 1);
        port = authority.substr(close + 1);
        if (!port.empty() && port.front() != ':')
            return Failure{"behind an IPv6 address only :port may stand"};
    } else {
        const auto colon = authority.find(':');
        url.host = authority.substr(0, colon);
        port = colon == std::string_view::npos ? std::string_view{} : authority.substr(colon);
    }
    if (url.host.empty())
        return Failure{"the host is missing"};
    if (!port.empty()) {
        const auto number = whole_number<std::uint16_t>(port.substr(1), 65535);
        if (!number || *number == 0)
            return Failure{"the port must be a number from 1 to 65535"};
        url.port = *number;
    }
    if (path.size() <= 1)
        return url;
    path.remove_prefix(1);
    const auto slash = path.find('/');
    url.name = path.substr(0, slash);
    if (url.name.empty() || url.name.size() > 223) // RFC 7143 section 4.2.7.1
        return Failure{"the target name must have 1 to 223 characters"};
    if (slash != std::string_view::npos) {
        // One level of flat addressing reaches LUN 16383 (SAM-5 section 4.7.7.3).
        const auto lun = whole_number<std::uint64_t>(path.substr(slash + 1), 16383);
        if (!lun)
            return Failure{"the LUN must be a number from 0 to 16383"};
        url.lun = *lun;
    }
    return url;
}

} // namespace iscsiscope::testbed::initiator
