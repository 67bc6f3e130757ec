// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/histogram.h"
#include "sample-captures/testbed/common/kind_of_clock.h"
#include "sample-captures/testbed/net/carriers/carrier.h"
#include "sample-captures/testbed/net/network.h"
#include "sample-captures/testbed/net/pcapng_writer.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace iscsiscope::testbed::shim {

enum class CarrierKind : std::uint8_t { tun, veth };
inline const char *to_string(CarrierKind kind) {
    return kind == CarrierKind::tun ? "tun" : "veth";
}

// What the shim really did, beside the network's own totals.
struct ShimRecord {
    std::vector<Drop> drops;
    std::vector<Disturbance> disturbances;
    Histogram lateness; // delivered to a host later than due, ns, every packet
    Histogram pickup;   // taken from the kernel later than the kernel had it, ns (veth only)
    Histogram read_gap; // between two looks at the hosts' devices while packets were under way
    Duration longest_stall{0};
    Instant longest_stall_at;
    std::uint64_t packets_in = 0;
    std::uint64_t packets_delivered = 0;
    std::uint64_t bytes_delivered = 0; // IP bytes
    std::uint64_t not_ipv4 = 0;        // ignored
    std::uint64_t refused_by_kernel = 0;
    Duration clock_step{0}; // largest step of CLOCK_REALTIME during the run
};

// What ends the shim's sleep.
struct Alarm {
    FileDescriptor timer;
    Duration ahead{0}; // of a deadline: the rest is spun
};

// The shim at work: carries packets between the hosts' devices through the network of links, in real
// time, and writes the captures. One thread; the owner's own files (signals, children, timers) are
// watched in the same loop.
class Shim final : private NetworkSink, private PacketReceiver {
public:
    // In virtual time a timer ends when it is due and a loop that looks at the clock costs most of a run:
    // the shim sleeps to its deadlines and does not spin.
    Shim(NetworkConfig network, std::vector<std::unique_ptr<Port>> ports,
         KindOfClock clock = KindOfClock::real);
    ~Shim() override;
    Shim(const Shim &) = delete;
    Shim &operator=(const Shim &) = delete;

    // Both take writers that outlive the run; null: no capture there.
    void capture_at_host(std::uint32_t host, PcapngWriter *writer);
    void capture_at_tap(std::uint32_t tap, PcapngWriter *writer);
    // The record lists no dropped or disturbed packets (the network's totals count them), so that a run of
    // any length takes bounded memory. For runs without a truth file.
    void list_no_packets() { lists_packets_ = false; }

    // `ready` is called in the loop whenever `fd` can be read; it must not block.
    void watch(int fd, std::function<void()> ready);
    void unwatch(int fd);

    // Sets time zero of the schedules to now. Nothing happens once a packet has passed.
    void start_clock();
    Instant now() const;
    std::int64_t realtime_ns(Instant at) const;

    // Runs until stop() is called from a watched file's function.
    Status run();
    void stop() { stopping_ = true; }

    const ShimRecord &record() const { return record_; }
    const Network &network() const { return network_; }
    Result<KernelLosses> losses(std::uint32_t host) { return ports_[host]->losses(); }

private:
    void on_deliver(const PacketRef &packet, std::uint32_t host, Instant due) override;
    void on_tap(std::uint32_t tap, const PacketRef &packet, Instant at) override;
    void on_drop(const Drop &drop) override;
    void on_disturbance(const Disturbance &disturbance) override;
    void on_packet(std::uint32_t host, std::span<const std::uint8_t> bytes,
                   std::optional<std::int64_t> kernel_ns) override;

    void read_hosts();
    Status wait(Instant top);
    void note_stall(Instant planned, Instant at);
    void measure_clock();

    Network network_;
    std::vector<std::unique_ptr<Port>> ports_;
    std::vector<PcapngWriter *> host_captures_;
    std::vector<PcapngWriter *> tap_captures_;
    std::map<int, std::function<void()>> watched_;
    FileDescriptor epoll_;
    Alarm alarm_;
    ShimRecord record_;
    std::int64_t zero_ns_ = 0;        // CLOCK_MONOTONIC at time zero
    std::int64_t realtime_shift_ = 0; // CLOCK_REALTIME - CLOCK_MONOTONIC
    Instant measured_;
    Instant floor_;          // nothing that is read now can have come before this
    Instant should_be_back_; // when wait() means to return
    bool lists_packets_ = true;
    bool stopping_ = false;
};

} // namespace iscsiscope::testbed::shim
