// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// A scenario may give CHAP accounts in a program's options: chap and mutual-chap (USER:SECRET) of a target,
// mutual (user%secret) and the URL (user%secret@) of an initiator. Everybody on the machine can read a
// command line, so the accounts go into this process's environment, which the program inherits, and the
// options name the variables. arguments: sub-command first; program: its number, part of the variables'
// names.
void hide_secrets(std::vector<std::string> &arguments, std::size_t program);

} // namespace iscsiscope::testbed::run
