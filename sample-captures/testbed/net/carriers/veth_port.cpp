// SPDX-License-Identifier: GPL-2.0-or-later
// A veth pair per host: one end in the host's namespace, the other in the shim's, where an AF_PACKET
// socket with a receive ring (packet(7), Documentation/networking/packet_mmap) takes what comes.
#include "sample-captures/testbed/net/carriers/carrier.h"
#include "sample-captures/testbed/net/carriers/rtnetlink.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace iscsiscope::testbed::shim {
namespace {

constexpr std::size_t ring_frames = 4096;
using Mac = std::array<std::uint8_t, ETH_ALEN>;

Failure failed(const char *what) {
    return {fmt::format("{}: {}", what, std::strerror(errno))};
}

// The receive ring: frames of fixed size that the kernel fills in turn.
class Ring {
public:
    Ring() = default;
    Ring(void *memory, std::size_t size, std::size_t frame) : memory_(memory), size_(size), frame_(frame) {}
    Ring(Ring &&other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), size_(other.size_), frame_(other.frame_) {}
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;
    Ring &operator=(Ring &&) = delete;
    ~Ring() {
        if (memory_ != nullptr)
            ::munmap(memory_, size_);
    }
    std::uint8_t *head() const { return static_cast<std::uint8_t *>(memory_) + next_ * frame_; }
    tpacket2_hdr *header() const { return reinterpret_cast<tpacket2_hdr *>(head()); }
    void advance() { next_ = (next_ + 1) % (size_ / frame_); }
    std::size_t frame_size() const { return frame_; }

private:
    void *memory_ = nullptr;
    std::size_t size_ = 0;
    std::size_t frame_ = 1;
    std::size_t next_ = 0;
};

class VethPort final : public Port {
public:
    VethPort(std::uint32_t host, FileDescriptor socket, Ring ring, Mac to, Rtnetlink netlink)
        : host_(host), socket_(std::move(socket)), ring_(std::move(ring)), netlink_(std::move(netlink)) {
        std::memcpy(ethernet_.data(), to.data(), to.size());
        ethernet_[ETH_ALEN] = 2; // locally administered, from the shim
        ethernet_[12] = ETH_P_IP >> 8U;
        ethernet_[13] = ETH_P_IP & 0xffU;
    }

    int poll_fd() const override { return socket_.get(); }

    std::size_t receive(PacketReceiver &receiver, std::size_t most) override {
        std::size_t count = 0;
        while (count < most) {
            tpacket2_hdr *header = ring_.header();
            const std::uint32_t status = __atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE);
            if ((status & TP_STATUS_USER) == 0)
                break;
            bad_checksum_ += (status & TP_STATUS_CSUMNOTREADY) != 0 ? 1 : 0;
            const std::size_t size = header->tp_len - ETH_HLEN;
            if (header->tp_len > ETH_HLEN && header->tp_snaplen == header->tp_len &&
                header->tp_net + size <= ring_.frame_size()) {
                const std::int64_t at = std::int64_t{header->tp_sec} * 1'000'000'000 + header->tp_nsec;
                receiver.on_packet(host_, {ring_.head() + header->tp_net, size}, at);
            } else {
                ++cut_;
            }
            __atomic_store_n(&header->tp_status, std::uint32_t{TP_STATUS_KERNEL}, __ATOMIC_RELEASE);
            ring_.advance();
            ++count;
        }
        return count;
    }

    bool send(std::span<const std::uint8_t> packet) override {
        iovec parts[] = {{ethernet_.data(), ethernet_.size()},
                         {const_cast<std::uint8_t *>(packet.data()), packet.size()}};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = 2;
        return ::sendmsg(socket_.get(), &message, MSG_DONTWAIT) > 0;
    }

    Result<KernelLosses> losses() override {
        const Result<DeviceStats> stats = netlink_.stats(host_device_name);
        if (!stats.ok())
            return stats.failure();
        tpacket_stats ring{};
        socklen_t size = sizeof ring;
        if (::getsockopt(socket_.get(), SOL_PACKET, PACKET_STATISTICS, &ring, &size) == 0)
            ring_drops_ += ring.tp_drops; // reading resets the kernel's count
        return KernelLosses{stats.value().tx_dropped + ring_drops_ + cut_, stats.value().rx_dropped,
                            bad_checksum_};
    }

private:
    std::uint32_t host_;
    std::array<std::uint8_t, ETH_HLEN> ethernet_{};
    FileDescriptor socket_;
    Ring ring_;
    Rtnetlink netlink_; // in the host's namespace
    std::uint64_t ring_drops_ = 0;
    std::uint64_t cut_ = 0;
    std::uint64_t bad_checksum_ = 0;
};

Result<Ring> make_ring(int socket, std::uint32_t mtu) {
    const int version = TPACKET_V2;
    if (::setsockopt(socket, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0)
        return failed("choosing the packet ring's format");
    std::size_t frame = 2048;
    while (frame < std::size_t{mtu} + 256) // headers of the ring and of Ethernet
        frame *= 2;
    tpacket_req request{};
    request.tp_frame_size = static_cast<std::uint32_t>(frame);
    request.tp_frame_nr = ring_frames;
    request.tp_block_size = 131072; // a whole number of frames and of pages
    request.tp_block_nr = static_cast<std::uint32_t>(frame * ring_frames / request.tp_block_size);
    if (::setsockopt(socket, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0)
        return failed("making the packet ring");
    const std::size_t size = frame * ring_frames;
    void *memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, socket, 0);
    if (memory == MAP_FAILED)
        return failed("mapping the packet ring");
    return Ring(memory, size, frame);
}

// The shim's side of the pair: an AF_PACKET socket, bound once its ring is there.
Result<FileDescriptor> open_socket() {
    FileDescriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.valid())
        return failed("opening a packet socket");
    const int one = 1;
    ::setsockopt(socket.get(), SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one);
    return socket;
}

Status bind_socket(int socket, const std::string &name) {
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_IP); // incoming only: outgoing packets go to ETH_P_ALL sockets
    address.sll_ifindex = static_cast<int>(::if_nametoindex(name.c_str()));
    if (::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        return failed("binding the packet socket");
    return {};
}

Result<Mac> mac_of(const char *device) {
    const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strncpy(request.ifr_name, device, IFNAMSIZ - 1);
    if (::ioctl(socket.get(), SIOCGIFHWADDR, &request) != 0)
        return failed("reading a device's address");
    Mac mac{};
    std::memcpy(mac.data(), request.ifr_hwaddr.sa_data, mac.size());
    return mac;
}

// Inside the host's namespace.
Result<Rtnetlink> set_up_host_end(const HostDevice &device) {
    Result<Rtnetlink> netlink = Rtnetlink::open();
    if (!netlink.ok())
        return netlink;
    Rtnetlink &rtnl = netlink.value();
    if (Status status = rtnl.set_loopback_up())
        return *status;
    if (Status status = turn_offloads_off(host_device_name))
        return *status;
    if (Status status = rtnl.bring_up(host_device_name, device.mtu, device_queue_length, true))
        return *status;
    if (Status status = rtnl.set_noqueue(host_device_name))
        return *status;
    for (const Ipv4 address : device.addresses)
        if (Status status = rtnl.add_address(host_device_name, address))
            return *status;
    if (Status status = rtnl.add_default_route(host_device_name, device.route))
        return *status;
    return netlink;
}

} // namespace

Result<std::unique_ptr<Port>> make_veth_port(const HostDevice &device, const NetNamespace &space) {
    const std::string name = fmt::format("host{}", device.host);
    Result<Rtnetlink> here = Rtnetlink::open();
    if (!here.ok())
        return here.failure();
    if (Status status = here.value().create_veth(name, host_device_name, space.fd()))
        return *status;
    std::optional<Rtnetlink> there;
    Mac mac{};
    const Status failure = space.inside([&]() -> Status {
        Result<Rtnetlink> netlink = set_up_host_end(device);
        if (!netlink.ok())
            return netlink.failure();
        const Result<Mac> address = mac_of(host_device_name);
        if (!address.ok())
            return address.failure();
        mac = address.value();
        there.emplace(std::move(netlink.value()));
        return {};
    });
    if (failure)
        return *failure;
    // The shim's end must not speak itself: IPv6 would send router solicitations.
    if (sysctl_exists("net.ipv6.conf.all.disable_ipv6"))
        write_sysctl("net.ipv6.conf.all.disable_ipv6", "1");
    if (Status status = turn_offloads_off(name))
        return *status;
    if (Status status = here.value().bring_up(name, device.mtu, device_queue_length, true))
        return *status;
    Result<FileDescriptor> socket = open_socket();
    if (!socket.ok())
        return socket.failure();
    Result<Ring> ring = make_ring(socket.value().get(), device.mtu);
    if (!ring.ok())
        return ring.failure();
    if (Status status = bind_socket(socket.value().get(), name))
        return *status;
    return std::unique_ptr<Port>(std::make_unique<VethPort>(device.host, std::move(socket.value()),
                                                            std::move(ring.value()), mac, std::move(*there)));
}

} // namespace iscsiscope::testbed::shim
