// SPDX-License-Identifier: GPL-2.0-or-later
// Guard between Wireshark's C and the plugin's C++. All callbacks keep two rules:
// - No C++ exception may reach Wireshark: what may throw (memory) runs inside guarded().
// - Wireshark throws by longjmp, which skips destructors: where a function of epan that may throw is
//   called, no object with a destructor of its own is alive on the stack.
#pragma once

namespace iscsiscope::plugin {

// Runs the work. Returns false if it threw; the exception ends here.
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
