// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/shim.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace iscsiscope::testbed::shim {
namespace {

// The kernel's timer is this late at worst on a machine that is not overloaded.
constexpr Duration timer_lateness = std::chrono::microseconds(150);
constexpr Duration clock_period = std::chrono::milliseconds(1);
constexpr std::size_t packets_a_turn = 64; // per host, so that deliveries are not held up

std::int64_t read_clock(clockid_t id) {
    timespec t{};
    ::clock_gettime(id, &t);
    return std::int64_t{t.tv_sec} * ns_per_second + t.tv_nsec;
}

// Before other programs when a packet is due: the best nice value that is allowed, and a short slice
// (Linux 6.12 and later; anyone may), with which a task that wakes up preempts one in its long slice
// instead of waiting for its end, 3 ms. A real-time class would be throttled for 50 ms each second while
// the loop spins.
void ask_for_promptness() {
    ::setpriority(PRIO_PROCESS, 0, -20);
    struct {
        std::uint32_t size, policy;
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t runtime, deadline, period;
    } attributes{}; // struct sched_attr, first version (sched_setattr(2))
    attributes.size = sizeof attributes;
    attributes.policy = SCHED_OTHER;
    attributes.nice = ::getpriority(PRIO_PROCESS, 0);
    attributes.runtime = 100'000; // ns, the shortest there is
    ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// User-mode Linux counts processor time in ticks of 1 ms: a program that starts would else run up to the next
// one. The shim never spins in virtual time, so a real-time class takes nothing from others.
void ask_to_be_first() {
    sched_param first{};
    first.sched_priority = 1;
    ::sched_setscheduler(0, SCHED_FIFO, &first);
}

} // namespace

Shim::Shim(NetworkConfig network, std::vector<std::unique_ptr<Port>> ports, KindOfClock clock)
    : network_(std::move(network), *this), ports_(std::move(ports)), host_captures_(ports_.size(), nullptr),
      tap_captures_(network_.config().taps.size(), nullptr), epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      alarm_{FileDescriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
             clock == KindOfClock::real ? timer_lateness : Duration{0}} {
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    if (clock == KindOfClock::real)
        ask_for_promptness();
    else
        ask_to_be_first();
    zero_ns_ = read_clock(CLOCK_MONOTONIC);
    measure_clock();
    epoll_event timer{EPOLLIN, {.fd = alarm_.timer.get()}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, alarm_.timer.get(), &timer);
    for (const auto &port : ports_) {
        epoll_event event{EPOLLIN, {.fd = port->poll_fd()}};
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, port->poll_fd(), &event);
    }
}

Shim::~Shim() = default;

void Shim::capture_at_host(std::uint32_t host, PcapngWriter *writer) {
    host_captures_[host] = writer;
}
void Shim::capture_at_tap(std::uint32_t tap, PcapngWriter *writer) {
    tap_captures_[tap] = writer;
}

void Shim::watch(int fd, std::function<void()> ready) {
    watched_[fd] = std::move(ready);
    epoll_event event{EPOLLIN, {.fd = fd}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void Shim::unwatch(int fd) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    watched_.erase(fd);
}

Instant Shim::now() const {
    return instant_from_ns(read_clock(CLOCK_MONOTONIC) - zero_ns_);
}

std::int64_t Shim::realtime_ns(Instant at) const {
    return to_ns(at) + zero_ns_ + realtime_shift_;
}

void Shim::start_clock() {
    if (record_.packets_in == 0) {
        const std::int64_t shift = read_clock(CLOCK_MONOTONIC) - zero_ns_;
        zero_ns_ += shift;
        floor_ = measured_ = should_be_back_ = Instant{};
    }
}

// The two clocks drift apart when time is slewed: the difference is taken anew every millisecond.
void Shim::measure_clock() {
    const std::int64_t before = read_clock(CLOCK_MONOTONIC);
    const std::int64_t real = read_clock(CLOCK_REALTIME);
    const std::int64_t after = read_clock(CLOCK_MONOTONIC);
    if (after - before > 5000 && realtime_shift_ != 0)
        return; // something came between: next time
    const std::int64_t shift = real - (before + after) / 2;
    const Instant at = instant_from_ns(after - zero_ns_);
    if (realtime_shift_ != 0) {
        // Slewing moves the clock by at most 0.05 %; what is beyond 0.1 % and 100 us is a step.
        const std::int64_t allowed = 100'000 + to_ns(at - measured_) / 1000;
        const std::int64_t moved = std::abs(shift - realtime_shift_);
        record_.clock_step = std::max(record_.clock_step, Duration{moved > allowed ? moved : 0});
    }
    realtime_shift_ = shift;
    measured_ = at;
}

void Shim::on_packet(std::uint32_t host, std::span<const std::uint8_t> bytes,
                     std::optional<std::int64_t> kernel_ns) {
    const std::optional<PacketInfo> info = parse_packet(bytes);
    if (!info) {
        ++record_.not_ipv4;
        return;
    }
    const Instant read_at = now();
    Instant at = read_at;
    if (kernel_ns) {
        // The kernel's stamp is when the host sent; but what has been decided since stays decided.
        const Instant stamped = instant_from_ns(*kernel_ns - realtime_shift_ - zero_ns_);
        record_.pickup.add(to_ns(read_at - stamped));
        at = std::clamp(stamped, std::min(floor_, read_at), read_at);
    }
    ++record_.packets_in;
    auto packet = std::make_shared<Packet>();
    packet->bytes.assign(bytes.begin(), bytes.begin() + info->ip_bytes);
    packet->info = *info;
    packet->from_host = host;
    packet->sent = at;
    if (host_captures_[host] != nullptr)
        packet->frame = host_captures_[host]->packet(realtime_ns(at), packet->bytes, host, host + 256);
    network_.submit(std::move(packet), at);
}

void Shim::on_deliver(const PacketRef &packet, std::uint32_t host, Instant due) {
    // Stamped before the host can see it: the capture's time is never after the program's.
    const Instant at = now();
    floor_ = std::max(floor_, at);
    record_.lateness.add(to_ns(at - due));
    if (host_captures_[host] != nullptr)
        host_captures_[host]->packet(realtime_ns(at), packet->bytes, host + 256, host);
    if (!ports_[host]->send(packet->bytes))
        ++record_.refused_by_kernel;
    ++record_.packets_delivered;
    record_.bytes_delivered += packet->info.ip_bytes;
}

void Shim::on_tap(std::uint32_t tap, const PacketRef &packet, Instant at) {
    if (tap_captures_[tap] != nullptr) {
        tap_captures_[tap]->packet(realtime_ns(at), packet->bytes, packet->from_host,
                                   packet->from_host + 256);
    }
}

void Shim::on_drop(const Drop &drop) {
    if (lists_packets_)
        record_.drops.push_back(drop);
}
void Shim::on_disturbance(const Disturbance &disturbance) {
    if (lists_packets_)
        record_.disturbances.push_back(disturbance);
}

void Shim::read_hosts() {
    for (const auto &port : ports_)
        port->receive(*this, packets_a_turn);
}

void Shim::note_stall(Instant planned, Instant at) {
    if (at - planned > record_.longest_stall) {
        record_.longest_stall = at - planned;
        record_.longest_stall_at = at;
    }
}

// Waits for a packet, a watched file or the next event; `top` is when this turn began.
Status Shim::wait(Instant top) {
    const std::optional<Instant> due = network_.next_due();
    const Instant start = now();
    note_stall(top, start);
    int timeout = -1;
    should_be_back_ = start;
    itimerspec alarm{};
    if (due && *due - start <= alarm_.ahead) {
        timeout = 0;
    } else if (due) {
        const std::int64_t at = zero_ns_ + to_ns(*due - alarm_.ahead);
        alarm.it_value = {at / ns_per_second, at % ns_per_second};
        ::timerfd_settime(alarm_.timer.get(), TFD_TIMER_ABSTIME, &alarm, nullptr);
        should_be_back_ = *due - alarm_.ahead;
    }
    std::array<epoll_event, 32> events{};
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), timeout);
    if (count < 0 && errno != EINTR)
        return Failure{fmt::format("waiting for packets: {}", std::strerror(errno))};
    const Instant back = now();
    if (due)
        note_stall(should_be_back_, back);
    for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == alarm_.timer.get()) {
            std::uint64_t expired = 0;
            (void)!::read(fd, &expired, sizeof expired);
        } else if (const auto watched = watched_.find(fd); watched != watched_.end()) {
            const auto ready = watched->second; // it may unwatch itself
            ready();
        }
    }
    return {};
}

Status Shim::run() {
    Instant looked = now();
    while (!stopping_) {
        const Instant top = now();
        if (top - measured_ > clock_period)
            measure_clock();
        if (network_.under_way() > 0)
            record_.read_gap.add(to_ns(top - looked));
        looked = top;
        read_hosts();
        network_.advance(now());
        floor_ = std::max(floor_, network_.advanced_to());
        if (Status failure = wait(top))
            return failure;
    }
    return {};
}

} // namespace iscsiscope::testbed::shim
