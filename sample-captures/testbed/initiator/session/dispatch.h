// SPDX-License-Identifier: GPL-2.0-or-later
// Which connection of a session carries the next command.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace iscsiscope::testbed::initiator {

enum class DispatchPolicy : std::uint8_t {
    round_robin,  // strictly in turn: waits for the connection whose turn it is
    least_loaded, // fewest commands outstanding, lowest number first
    first_free,   // in turn at first, then the connection that finished first (iSCSI-APT's)
};
std::optional<DispatchPolicy> dispatch_from_name(std::string_view);
std::string_view name(DispatchPolicy);

// Counts commands per connection; does not know what a connection is.
class Dispatcher {
public:
    // limit: commands a connection may carry at once; 0: no limit (first_free then takes 1).
    Dispatcher(DispatchPolicy policy, unsigned connections, unsigned limit);

    // Only the first n connections carry new commands (1…connections); those already out finish.
    void set_active(unsigned n);
    unsigned active() const { return active_; }

    // The connection for the next command, its place taken; nothing while none may carry one.
    std::optional<unsigned> take();
    // A command of the connection has ended.
    void finished(unsigned connection);
    unsigned outstanding(unsigned connection) const { return outstanding_[connection]; }

private:
    bool has_room(unsigned connection) const {
        return connection < active_ && (limit_ == 0 || outstanding_[connection] < limit_);
    }
    std::optional<unsigned> choose();

    DispatchPolicy policy_;
    unsigned limit_;
    unsigned active_;
    unsigned turn_ = 0;
    std::vector<unsigned> outstanding_;
    std::deque<unsigned> free_; // first_free: one entry a free place, in the order it came free
};

} // namespace iscsiscope::testbed::initiator
