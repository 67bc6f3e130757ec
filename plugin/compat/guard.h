// SPDX-License-Identifier: GPL-2.0-or-later
// Where Wireshark's C meets our C++. Two rules, for all callbacks:
// - No C++ exception may reach Wireshark: what may throw (memory) runs inside guarded().
// - Wireshark throws by longjmp, which skips destructors: where a function of epan that may throw is
//   called, no object with a destructor of its own is alive on the stack.
#pragma once

namespace iscsiscope::plugin {

// False: it threw.
template <class Work>
bool guarded(Work work) noexcept {
    try {
        work();
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace iscsiscope::plugin
