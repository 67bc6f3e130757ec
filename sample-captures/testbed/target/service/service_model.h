// SPDX-License-Identifier: GPL-2.0-or-later
// How long a disk takes: a model returns when an access that begins at a given time is done. Models have
// no clock; everything random comes from the seed they were made with.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

namespace iscsiscope::testbed {

using Moment = std::chrono::steady_clock::time_point;
using Nanoseconds = std::chrono::nanoseconds;

struct Access {
    bool write = false;
    std::uint64_t offset = 0; // bytes
    std::uint64_t length = 0; // bytes
};

class ServiceModel {
public:
    virtual ~ServiceModel() = default;
    // When the access that is handed to the disk at `now` is done; never before now. Calls come with
    // times that do not go back.
    virtual Moment finish(const Access &, Moment now) = 0;
};

} // namespace iscsiscope::testbed
