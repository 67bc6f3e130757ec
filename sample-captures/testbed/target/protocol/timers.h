// SPDX-License-Identifier: GPL-2.0-or-later
// Time for the protocol: a clock and calls later, all on the one thread that runs the target.
#pragma once

#include "sample-captures/testbed/target/service/service_model.h"

#include <functional>
#include <memory>

namespace iscsiscope::testbed {

// A pending call; destroyed, the call will not happen.
class Timer {
public:
    virtual ~Timer() = default;
};
using TimerHandle = std::unique_ptr<Timer>;

class Timers {
public:
    virtual ~Timers() = default;
    virtual Moment now() const = 0;
    virtual TimerHandle at(Moment, std::function<void()>) = 0;
    // Soon, but not within this call.
    virtual void post(std::function<void()>) = 0;
};

} // namespace iscsiscope::testbed
