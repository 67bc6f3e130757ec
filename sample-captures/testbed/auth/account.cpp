// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/auth/account.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace iscsiscope::testbed {

namespace {

constexpr std::size_t longest_secret = 255; // RFC 7143 section 12.1.3: of what a peer must take

Result<std::string> text_at(const std::string &where) {
    const std::string rest = where.substr(where.find(':') + 1);
    if (where.starts_with("env:")) {
        const char *value = std::getenv(rest.c_str());
        if (value == nullptr)
            return Failure{"the environment has no variable " + rest};
        return std::string(value);
    }
    if (!where.starts_with("file:"))
        return Failure{"an account is written file:PATH or env:NAME, where USER:SECRET stands: everybody on "
                       "this machine can read a command line"};
    std::ifstream file(rest);
    std::string line;
    if (!std::getline(file, line))
        return Failure{rest + ": " + (file.is_open() ? "is empty" : std::strerror(errno))};
    if (line.ends_with('\r'))
        line.pop_back();
    return line;
}

} // namespace

Result<ChapAccount> read_chap_account(const std::string &where) {
    const Result<std::string> text = text_at(where);
    if (!text.ok())
        return text.failure();
    const auto colon = text.value().find(':');
    if (colon == 0 || colon == std::string::npos)
        return Failure{where + ": what stands there is not USER:SECRET"};
    ChapAccount account{text.value().substr(0, colon), text.value().substr(colon + 1)};
    if (const std::string problem = chap_secret_problem(account); !problem.empty())
        return Failure{where + ": " + problem};
    return account;
}

std::string chap_secret_problem(const ChapAccount &account) {
    if (account.secret.size() >= min_chap_secret && account.secret.size() <= longest_secret)
        return {};
    return "the secret of \"" + account.user + "\" has " + std::to_string(account.secret.size()) +
           " octets; CHAP wants " + std::to_string(min_chap_secret) + " to " + std::to_string(longest_secret);
}

} // namespace iscsiscope::testbed
