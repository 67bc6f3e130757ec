// SPDX-License-Identifier: GPL-2.0-or-later
// CHAP accounts: a user name and the secret that goes with it, taken from where other users of the machine
// cannot read them. A command line can be read by everybody.
#pragma once

#include "analyzer/base/result.h"

#include <cstddef>
#include <string>

namespace iscsiscope::testbed {

struct ChapAccount {
    std::string user, secret;
};

// 96 bits, the least without IPsec (RFC 7143 section 9.2.1).
inline constexpr std::size_t min_chap_secret = 12;

// where: "file:PATH", of which the first line counts, or "env:NAME", a variable of the environment. Either
// holds USER:SECRET. A failure names what is wrong, never the secret.
Result<ChapAccount> read_chap_account(const std::string &where);

// The sentence about a secret that is too short, or nothing.
std::string chap_secret_problem(const ChapAccount &);

} // namespace iscsiscope::testbed
