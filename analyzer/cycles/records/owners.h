// SPDX-License-Identifier: GPL-2.0-or-later
// Whose a time is (docs/figures.md, "Whose time it is"): the one list of owners. The times of all owners add
// up to the busy time.
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/base/time.h"

#include <array>
#include <cstddef>

#define ISCSISCOPE_OWNERS(X)                                                                                 \
    X(transfer)                                                                                              \
    X(network)                                                                                               \
    X(target)                                                                                                \
    X(host)                                                                                                  \
    X(unknown)

namespace iscsiscope {

ISCSISCOPE_ENUM(Owner, owner_names, owner_count, ISCSISCOPE_OWNERS)

// A time, divided between the owners.
struct OwnerTimes {
    std::array<Duration, owner_count> parts{};
    Duration trouble{}; // the part of the network's time that its distance does not explain: queues, repairs

    Duration &operator[](Owner o) { return parts[static_cast<std::size_t>(o)]; }
    Duration operator[](Owner o) const { return parts[static_cast<std::size_t>(o)]; }
    OwnerTimes &operator+=(const OwnerTimes &more) {
        for (std::size_t i = 0; i < owner_count; ++i)
            parts[i] += more.parts[i];
        trouble += more.trouble;
        return *this;
    }
    Duration sum() const {
        Duration all{};
        for (const Duration d : parts)
            all += d;
        return all;
    }
    // Makes the times add up to `whole`: what no owner has is unknown. If the owners have more than that, the
    // first ones get less.
    void complete(Duration whole) {
        Duration rest = whole - sum();
        for (std::size_t i = 0; rest < Duration{} && i < owner_count; ++i) {
            const Duration less = parts[i] < -rest ? parts[i] : -rest;
            parts[i] -= less;
            rest += less;
        }
        (*this)[Owner::unknown] += rest;
    }
};

} // namespace iscsiscope
