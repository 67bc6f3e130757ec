// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/common/file_descriptor.h"
#include "sample-captures/testbed/net/carriers/carrier.h"

#include <cstdint>
#include <string>

namespace iscsiscope::testbed::shim {

struct DeviceStats {
    std::uint64_t rx_packets = 0;
    std::uint64_t tx_packets = 0;
    std::uint64_t rx_dropped = 0; // errors included
    std::uint64_t tx_dropped = 0;
};

// Network devices of the namespace in which this was opened (rtnetlink(7)); it stays bound to that
// namespace wherever the thread goes. Everything acts at once and waits for the kernel's answer.
class Rtnetlink {
public:
    static Result<Rtnetlink> open();

    // A veth pair, `peer` in the namespace `peer_namespace`.
    Status create_veth(const std::string &name, const std::string &peer, int peer_namespace);
    // Up, with this MTU and queue length; `no_arp` for Ethernet devices without neighbours. (The queue
    // length ioctl is refused in a user namespace, hence netlink.)
    Status bring_up(const std::string &name, std::uint32_t mtu, std::uint32_t queue_length, bool no_arp);
    Status set_loopback_up();
    Status add_address(const std::string &name, Ipv4 address); // /32
    // Everything goes through `name`, with RTAX_WINDOW, RTAX_INITCWND and RTAX_CC_ALGO.
    Status add_default_route(const std::string &name, const RouteMetrics &);
    // No queueing discipline: the device's own ring is the only queue before the shim.
    Status set_noqueue(const std::string &name);
    Result<DeviceStats> stats(const std::string &name);

private:
    explicit Rtnetlink(FileDescriptor socket) : socket_(std::move(socket)) {}
    class Request;
    Status execute(Request &request, const std::string &what);
    Result<int> index_of(const std::string &name);

    FileDescriptor socket_;
    std::uint32_t sequence_ = 0;
};

// Turns checksum offload, scatter-gather, segmentation and receive offloads off, so that what the
// shim sees is what a wire would carry; fails if the device keeps one on.
Status turn_offloads_off(const std::string &device);

} // namespace iscsiscope::testbed::shim
