// SPDX-License-Identifier: GPL-2.0-or-later
// How packets come from and go to a host's network namespace.
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/net/carriers/namespaces.h"
#include "sample-captures/testbed/net/packets/packet.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed::shim {

class PacketReceiver {
public:
    virtual ~PacketReceiver() = default;
    // `bytes` from the IP header, valid during the call. `kernel_ns`: when the kernel had the packet
    // (CLOCK_REALTIME), where the carrier knows.
    virtual void on_packet(std::uint32_t host, std::span<const std::uint8_t> bytes,
                           std::optional<std::int64_t> kernel_ns) = 0;
};

struct KernelLosses {
    std::uint64_t to_shim = 0;      // sent by the host, never seen by the shim
    std::uint64_t to_host = 0;      // handed over by the shim, dropped before the host's IP
    std::uint64_t bad_checksum = 0; // came with the checksum left to hardware
};

// One host's device, seen from the shim. Never blocks.
class Port {
public:
    virtual ~Port() = default;
    virtual int poll_fd() const = 0;
    // Hands on at most `most` waiting packets; returns how many.
    virtual std::size_t receive(PacketReceiver &receiver, std::size_t most) = 0;
    // False if the kernel did not take it.
    virtual bool send(std::span<const std::uint8_t> packet) = 0;
    virtual Result<KernelLosses> losses() = 0;
};

// Metrics of a host's only route. They hold for every connection, whatever the program sets on its socket
// before it connects.
struct RouteMetrics {
    std::uint32_t window_clamp = 0;   // bytes, largest TCP window advertised; 0: no clamp
    std::uint32_t initial_window = 0; // segments, first congestion window; 0: the kernel's
    std::string congestion_control;   // empty: as the namespace's sysctl says
};

struct HostDevice {
    std::uint32_t host = 0; // its number, handed on with each packet
    std::vector<Ipv4> addresses;
    std::uint32_t mtu = 1500;
    RouteMetrics route;
};

// Name of the device inside a host's namespace.
inline constexpr const char *host_device_name = "eth0";
// Packets a host's device holds while the shim is away: over 100 ms at 1 Gbit/s of 1500-byte packets.
inline constexpr std::uint32_t device_queue_length = 16384;

// Whether /dev/net/tun may be opened for a device in `space`.
bool tun_available(const NetNamespace &space);
Result<std::unique_ptr<Port>> make_tun_port(const HostDevice &device, const NetNamespace &space);
Result<std::unique_ptr<Port>> make_veth_port(const HostDevice &device, const NetNamespace &space);

} // namespace iscsiscope::testbed::shim
