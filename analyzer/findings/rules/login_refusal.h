// SPDX-License-Identifier: GPL-2.0-or-later
// What each status of a Login Response says, and what to do about it (RFC 7143 section 11.13.5).
#pragma once

#include "analyzer/iscsi/framing/login.h"

#include <string>

namespace iscsiscope {

// Returns the status in a few words: "out of resources"; "status class 4, detail 1" where the standard has
// none.
std::string login_refusal_words(const Login &);
// Returns what to do about a login that was refused with this status, apart from what its CHAP shows. Empty
// where the status is none of the standard's.
std::string login_refusal_remedy(const Login &);

} // namespace iscsiscope
