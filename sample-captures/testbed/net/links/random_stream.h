// SPDX-License-Identifier: GPL-2.0-or-later
// One seeded stream of random decisions. Each purpose (loss, jitter, ...) of each link direction has
// its own, so that switching jitter on does not change which packets are lost.
#pragma once

#include <cstdint>
#include <random>

namespace iscsiscope::testbed::shim {

class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint32_t link, std::uint32_t purpose) {
        // seed_seq and mt19937_64 are fixed by the C++ standard: the same numbers on every machine.
        std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U), link,
                            purpose};
        engine_.seed(mixed);
    }

    // Uniform in [0, 1), 53 bits. (std::uniform_real_distribution is not fixed by the standard.)
    double uniform() { return static_cast<double>(engine_() >> 11U) * 0x1.0p-53; }

    // One draw is taken whatever the probability, so that decisions stay aligned with arrivals.
    bool happens(double probability) { return uniform() < probability; }

private:
    std::mt19937_64 engine_;
};

} // namespace iscsiscope::testbed::shim
