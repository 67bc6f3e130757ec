// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/links/link.h"
#include "sample-captures/testbed/net/network_config.h"

#include <map>
#include <optional>
#include <queue>
#include <unordered_map>

namespace iscsiscope::testbed::shim {

struct Drop {
    PacketRef packet;
    Instant at; // when the link took its decision: its arrival there (loss: when it left the queue)
    std::uint32_t link = 0;
    Direction direction = Direction::forward;
    DropCause cause = DropCause::none;
    std::uint64_t queue_packets = 0;
};

// A packet that was not dropped but did not simply pass either.
struct Disturbance {
    enum class Kind : std::uint8_t { out_of_turn, duplicate, window_scale_stripped };
    PacketRef packet;
    Instant at;
    Instant deliver;
    std::uint32_t link = 0;
    Direction direction = Direction::forward;
    Kind kind = Kind::out_of_turn;
};

// Where the network hands on what happens, in order of the nominal times.
class NetworkSink {
public:
    virtual ~NetworkSink() = default;
    virtual void on_deliver(const PacketRef &packet, std::uint32_t host, Instant due) = 0;
    virtual void on_tap(std::uint32_t tap, const PacketRef &packet, Instant at) = 0;
    virtual void on_drop(const Drop &drop) = 0;
    virtual void on_disturbance(const Disturbance &disturbance) = 0;
};

// All links of a run. No clock: packets come with their times, advance() works through everything
// that is due. A packet goes from link to link at its nominal times, however late advance() is called,
// so that lateness of the caller does not add up along a path.
class Network {
public:
    Network(NetworkConfig config, NetworkSink &sink);

    // A packet from a host. An `at` before the time last advanced to counts as that time.
    void submit(PacketRef packet, Instant at);
    void advance(Instant now);
    std::optional<Instant> next_due() const;

    // Time of the latest event worked through: what comes in now counts as not before it.
    Instant advanced_to() const { return advanced_to_; }

    std::size_t under_way() const { return under_way_; }
    // Packets not yet delivered, for the record of a run that ends with some in flight.
    std::vector<PacketRef> packets_under_way() const;

    struct Totals {
        std::uint64_t packets_in = 0; // admitted or dropped by the link
        std::uint64_t bytes_in = 0;
        std::uint64_t packets_out = 0;
        std::uint64_t bytes_out = 0;
        std::uint64_t duplicates = 0;
        std::uint64_t out_of_turn = 0;
        std::map<DropCause, std::uint64_t> drops;
    };
    const Totals &totals(std::uint32_t link, Direction direction) const;
    const Link &link(std::uint32_t link, Direction direction) const;
    const NetworkConfig &config() const { return config_; }
    std::uint64_t unroutable() const { return unroutable_; }

private:
    struct Route {
        std::uint32_t path;
        Direction direction;
        std::uint32_t to_host;
    };
    enum class Step : std::uint8_t { reach_link, enter_queue, tap, deliver };
    struct Event {
        Instant at;
        std::uint64_t order; // of creation: ties are settled by it
        PacketRef packet;
        Route route;
        std::uint32_t hop; // into the path's links in the packet's order; tap: the tap
        Step step;
    };
    struct Later {
        bool operator()(const Event &a, const Event &b) const {
            return a.at != b.at ? a.at > b.at : a.order > b.order;
        }
    };
    struct Half { // one direction of one link
        Link link;
        Totals totals;
        std::vector<std::uint32_t> taps;
        bool clocked = false; // rate-limited: an access clock may stand in front
        std::int64_t access_rate = 0;
        std::map<std::uint32_t, AccessClock> access; // by source host
    };

    void push(Instant at, PacketRef packet, Route route, std::uint32_t hop, Step step);
    void reach_link(const Event &event);
    void enter_queue(const Event &event);
    void onward(Instant at, const PacketRef &packet, Route route, std::uint32_t hop);
    std::uint32_t link_at(const Route &route, std::uint32_t hop) const;
    bool first_limited(const Route &route, std::uint32_t hop) const;
    Half &half(std::uint32_t link, Direction direction);

    NetworkConfig config_;
    NetworkSink &sink_;
    std::vector<Half> halves_;                        // 2 per link: forward, backward
    std::unordered_map<std::uint64_t, Route> routes_; // by source and destination address
    std::priority_queue<Event, std::vector<Event>, Later> events_;
    std::uint64_t created_ = 0;
    std::uint64_t unroutable_ = 0;
    std::size_t under_way_ = 0;
    Instant advanced_to_;
};

} // namespace iscsiscope::testbed::shim
