// SPDX-License-Identifier: GPL-2.0-or-later
// The topology: which pairs of addresses cross which links, in order, and where taps sit.
#pragma once

#include "sample-captures/testbed/net/links/link_config.h"
#include "sample-captures/testbed/net/packets/packet.h"

#include <string>
#include <vector>

namespace iscsiscope::testbed::shim {

enum class Direction : std::uint8_t { forward = 0, backward = 1 };
inline const char *to_string(Direction d) {
    return d == Direction::forward ? "forward" : "backward";
}

struct DuplexLink {
    std::string name;
    LinkConfig forward; // from a path's first end to its second
    LinkConfig backward;
};

struct PathConfig {
    std::vector<Ipv4> first;          // addresses of the first end
    std::vector<Ipv4> second;         // of the second
    std::vector<std::uint32_t> links; // indices, in order from the first end to the second
};

// A tap sees both directions of one link.
struct TapConfig {
    enum class Place : std::uint8_t {
        before_queue, // as a packet comes to the link
        behind_queue, // when its last bit has left the bottleneck
        on_wire       // at `fraction` of the delay, counted from the first end
    };
    std::string name;
    std::uint32_t link = 0;
    Place place = Place::on_wire;
    double fraction = 0.5;
};

struct NetworkConfig {
    std::uint64_t seed = 1;
    std::vector<std::vector<Ipv4>> host_addresses; // by host
    std::vector<DuplexLink> links;
    std::vector<PathConfig> paths;
    std::vector<TapConfig> taps;
};

} // namespace iscsiscope::testbed::shim
