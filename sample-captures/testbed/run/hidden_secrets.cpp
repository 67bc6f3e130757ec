// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/hidden_secrets.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace iscsiscope::testbed::run {
namespace {

bool names_a_place(std::string_view value) {
    return value.starts_with("file:") || value.starts_with("env:");
}

// "env:NAME", where the account now stands.
std::string into_environment(const std::string &account, std::string_view option, std::size_t program) {
    const std::string name = fmt::format("ISCSISCOPE_{}_{}", option, program + 1);
    ::setenv(name.c_str(), account.c_str(), 1);
    return "env:" + name;
}

// user%secret as USER:SECRET.
std::string with_colon(std::string account) {
    if (const auto percent = account.find('%'); percent != std::string::npos)
        account[percent] = ':';
    return account;
}

// The account in front of '@' in the URL of a target; empty: none.
std::string account_of(const std::string &argument) {
    constexpr std::string_view scheme = "iscsi://";
    if (!argument.starts_with(scheme))
        return {};
    const std::string authority =
        argument.substr(scheme.size(), argument.find('/', scheme.size()) - scheme.size());
    const auto at = authority.rfind('@');
    return at == std::string::npos ? std::string{} : authority.substr(0, at);
}

} // namespace

void hide_secrets(std::vector<std::string> &arguments, std::size_t program) {
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string &option = arguments[i - 1];
        std::string &value = arguments[i];
        if (names_a_place(value))
            continue;
        if (option == "--chap")
            value = into_environment(value, "CHAP", program);
        else if (option == "--mutual-chap" || option == "--mutual")
            value =
                into_environment(option == "--mutual" ? with_colon(value) : value, "MUTUAL_CHAP", program);
    }
    // One account for all URLs that have one: --chap is for every target without its own.
    std::string account;
    bool same = true;
    for (const std::string &argument : arguments)
        if (const std::string one = account_of(argument); argument.starts_with("iscsi://")) {
            same = same && (account.empty() || one == account) && !one.empty();
            account = account.empty() ? one : account;
        }
    if (account.empty() || !same)
        return;
    for (std::string &argument : arguments)
        if (argument.starts_with("iscsi://"))
            argument.erase(argument.find(account), account.size() + 1);
    arguments.insert(arguments.end(), {"--chap", into_environment(with_colon(account), "CHAP", program)});
}

} // namespace iscsiscope::testbed::run
