// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/service/distribution.h"

#include <algorithm>

namespace iscsiscope::testbed {

Nanoseconds Distribution::draw(std::mt19937_64 &random) const {
    switch (kind) {
    case Kind::none:
        break;
    case Kind::constant:
        return low;
    case Kind::uniform:
        return Nanoseconds(std::uniform_int_distribution<std::int64_t>(low.count(), high.count())(random));
    case Kind::exponential: {
        if (low.count() <= 0)
            break;
        std::exponential_distribution<double> d(1.0 / static_cast<double>(low.count()));
        return Nanoseconds(static_cast<std::int64_t>(d(random)));
    }
    }
    return Nanoseconds(0);
}

Moment DistributionService::finish(const Access &, Moment now) {
    const Nanoseconds time = distribution_.draw(random_);
    if (!serial_)
        return now + time;
    free_at_ = std::max(free_at_, now) + time;
    return free_at_;
}

} // namespace iscsiscope::testbed
