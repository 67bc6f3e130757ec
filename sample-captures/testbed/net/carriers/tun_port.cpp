// SPDX-License-Identifier: GPL-2.0-or-later
// A TUN device per host: its other side is a file the shim reads and writes whole IP packets on.
#include "sample-captures/testbed/net/carriers/carrier.h"
#include "sample-captures/testbed/net/carriers/rtnetlink.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>

namespace iscsiscope::testbed::shim {
namespace {

Result<FileDescriptor> open_tun() {
    FileDescriptor file(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!file.valid())
        return Failure{fmt::format("opening /dev/net/tun: {}", std::strerror(errno))};
    ifreq request{};
    std::strncpy(request.ifr_name, host_device_name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (::ioctl(file.get(), TUNSETIFF, &request) != 0)
        return Failure{fmt::format("making a TUN device: {}", std::strerror(errno))};
    return file;
}

class TunPort final : public Port {
public:
    TunPort(std::uint32_t host, std::uint32_t mtu, FileDescriptor file, Rtnetlink netlink)
        : host_(host), buffer_(std::size_t{mtu} + 64), file_(std::move(file)), netlink_(std::move(netlink)) {}

    int poll_fd() const override { return file_.get(); }

    std::size_t receive(PacketReceiver &receiver, std::size_t most) override {
        std::size_t count = 0;
        while (count < most) {
            const ssize_t size = ::read(file_.get(), buffer_.data(), buffer_.size());
            if (size <= 0)
                break;
            ++count;
            receiver.on_packet(host_, {buffer_.data(), static_cast<std::size_t>(size)}, std::nullopt);
        }
        return count;
    }

    bool send(std::span<const std::uint8_t> packet) override {
        return ::write(file_.get(), packet.data(), packet.size()) == static_cast<ssize_t>(packet.size());
    }

    Result<KernelLosses> losses() override {
        const Result<DeviceStats> stats = netlink_.stats(host_device_name);
        if (!stats.ok())
            return stats.failure();
        return KernelLosses{stats.value().tx_dropped, stats.value().rx_dropped, 0};
    }

private:
    std::uint32_t host_;
    std::vector<std::uint8_t> buffer_;
    FileDescriptor file_;
    Rtnetlink netlink_; // in the host's namespace
};

} // namespace

bool tun_available(const NetNamespace &space) {
    bool available = false;
    const Status failure = space.inside([&]() -> Status {
        available = open_tun().ok();
        return {};
    });
    return !failure && available;
}

Result<std::unique_ptr<Port>> make_tun_port(const HostDevice &device, const NetNamespace &space) {
    std::unique_ptr<Port> port;
    const Status failure = space.inside([&]() -> Status {
        Result<FileDescriptor> file = open_tun();
        if (!file.ok())
            return file.failure();
        Result<Rtnetlink> netlink = Rtnetlink::open();
        if (!netlink.ok())
            return netlink.failure();
        Rtnetlink &rtnl = netlink.value();
        if (Status status = rtnl.set_loopback_up())
            return status;
        // Plain TUN has no offloads: segments and checksums are made by the host's TCP.
        if (Status status = rtnl.bring_up(host_device_name, device.mtu, device_queue_length, false))
            return status;
        if (Status status = rtnl.set_noqueue(host_device_name))
            return status;
        for (const Ipv4 address : device.addresses)
            if (Status status = rtnl.add_address(host_device_name, address))
                return status;
        if (Status status = rtnl.add_default_route(host_device_name, device.route))
            return status;
        port = std::make_unique<TunPort>(device.host, device.mtu, std::move(file.value()), std::move(rtnl));
        return {};
    });
    if (failure)
        return *failure;
    return port;
}

} // namespace iscsiscope::testbed::shim
