// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/links/link_config.h"
#include "sample-captures/testbed/net/links/random_stream.h"

#include <cstddef>

namespace iscsiscope::testbed::shim {

enum class LossCause { none, random, burst, every_nth, listed };

// Which packets the wire loses, decided in order of arrival and by nothing else.
class LossModel {
public:
    LossModel(LossConfig config, std::uint64_t seed, std::uint32_t link);
    LossCause next(bool has_payload);

private:
    bool burst_loses();

    LossConfig config_;
    RandomStream random_;
    RandomStream burst_;
    bool bad_ = false;
    std::uint64_t counted_ = 0;
    std::size_t next_listed_ = 0;
};

} // namespace iscsiscope::testbed::shim
