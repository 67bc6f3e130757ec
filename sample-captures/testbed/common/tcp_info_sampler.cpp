// SPDX-License-Identifier: GPL-2.0-or-later
// <linux/tcp.h>, not <netinet/tcp.h>: only the kernel's header has the newer members, and the two
// cannot be included together.
#include "sample-captures/testbed/common/tcp_info_sampler.h"

#include "sample-captures/testbed/common/clock.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace iscsiscope::testbed {
namespace {

struct Field {
    const char *name;
    std::int64_t (*get)(const tcp_info &);
};

// tcpi_snd_ssthresh says 2^31 - 1 for "not set yet"; the row then says null.
constexpr std::uint32_t no_ssthresh = 0x7fffffff;
constexpr std::int64_t unknown = -1;

#define ISCSISCOPE_TCP_FIELD(name, member)                                                                   \
    Field {                                                                                                  \
        name, [](const tcp_info &i) { return static_cast<std::int64_t>(i.member); }                          \
    }
constexpr std::array fields{
    ISCSISCOPE_TCP_FIELD("state", tcpi_state),
    ISCSISCOPE_TCP_FIELD("ca_state", tcpi_ca_state),
    ISCSISCOPE_TCP_FIELD("cwnd", tcpi_snd_cwnd),
    Field{"ssthresh",
          [](const tcp_info &i) {
              return i.tcpi_snd_ssthresh >= no_ssthresh ? unknown : std::int64_t{i.tcpi_snd_ssthresh};
          }},
    ISCSISCOPE_TCP_FIELD("snd_mss", tcpi_snd_mss),
    ISCSISCOPE_TCP_FIELD("rtt_us", tcpi_rtt),
    ISCSISCOPE_TCP_FIELD("rttvar_us", tcpi_rttvar),
    ISCSISCOPE_TCP_FIELD("min_rtt_us", tcpi_min_rtt),
    ISCSISCOPE_TCP_FIELD("rto_us", tcpi_rto),
    ISCSISCOPE_TCP_FIELD("unacked", tcpi_unacked),
    ISCSISCOPE_TCP_FIELD("sacked", tcpi_sacked),
    ISCSISCOPE_TCP_FIELD("lost", tcpi_lost),
    ISCSISCOPE_TCP_FIELD("retrans", tcpi_retrans),
    ISCSISCOPE_TCP_FIELD("total_retrans", tcpi_total_retrans),
    ISCSISCOPE_TCP_FIELD("snd_wnd", tcpi_snd_wnd),
    ISCSISCOPE_TCP_FIELD("rcv_space", tcpi_rcv_space),
    ISCSISCOPE_TCP_FIELD("notsent_bytes", tcpi_notsent_bytes),
    ISCSISCOPE_TCP_FIELD("bytes_sent", tcpi_bytes_sent),
    ISCSISCOPE_TCP_FIELD("bytes_acked", tcpi_bytes_acked),
    ISCSISCOPE_TCP_FIELD("bytes_received", tcpi_bytes_received),
    ISCSISCOPE_TCP_FIELD("bytes_retrans", tcpi_bytes_retrans),
    ISCSISCOPE_TCP_FIELD("delivery_rate", tcpi_delivery_rate),
    ISCSISCOPE_TCP_FIELD("busy_us", tcpi_busy_time),
    ISCSISCOPE_TCP_FIELD("rwnd_limited_us", tcpi_rwnd_limited),
    ISCSISCOPE_TCP_FIELD("sndbuf_limited_us", tcpi_sndbuf_limited),
};
#undef ISCSISCOPE_TCP_FIELD

using Values = std::array<std::int64_t, fields.size()>;

struct Row {
    std::int64_t time_ns;
    std::uint64_t connection;
    Values values;
};

struct Connection {
    std::uint64_t handle;
    int fd;
    std::string name;
    Values last{};
    bool any = false;
};

} // namespace

struct TcpInfoSampler::Impl {
    std::chrono::nanoseconds base;
    mutable std::mutex mutex;
    std::condition_variable wake;
    std::vector<Connection> open;
    std::vector<std::string> names; // by handle
    std::deque<Row> rows;
    std::jthread thread;
    bool stopping = false;
    std::exception_ptr failure; // that ended the thread
    // The pace really kept, while at least one connection was open.
    std::uint64_t ticks = 0;
    std::int64_t sum_ns = 0, longest_ns = 0;

    void sample(Connection &c) {
        tcp_info info{};
        socklen_t length = sizeof info;
        if (::getsockopt(c.fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
            return; // the peer reset it: the owner will remove it
        Values now{};
        std::transform(fields.begin(), fields.end(), now.begin(),
                       [&](const Field &f) { return f.get(info); });
        if (c.any && now == c.last)
            return;
        c.any = true;
        c.last = now;
        rows.push_back({realtime_ns(), c.handle, now});
    }

    void run() {
        try {
            sample_until_stopped();
        } catch (...) {
            failure = std::current_exception();
        }
    }

    void sample_until_stopped() {
        std::unique_lock lock(mutex);
        auto due = std::chrono::steady_clock::now();
        auto previous = due;
        bool paused = true;
        while (!stopping) {
            if (open.empty()) {
                paused = true;
                wake.wait(lock, [&] { return stopping || !open.empty(); });
                due = std::chrono::steady_clock::now();
                continue;
            }
            const auto now = std::chrono::steady_clock::now();
            if (!paused) {
                const std::int64_t gap = std::chrono::nanoseconds(now - previous).count();
                ++ticks;
                sum_ns += gap;
                longest_ns = std::max(longest_ns, gap);
            }
            paused = false;
            previous = now;
            for (Connection &c : open)
                sample(c);
            const auto period = base * static_cast<std::int64_t>((open.size() + 7) / 8);
            // A late tick is not made up for: the next one is a whole period away.
            due = std::max(due + period, std::chrono::steady_clock::now());
            wake.wait_until(lock, due, [&] { return stopping; });
        }
    }
};

TcpInfoSampler::TcpInfoSampler(std::chrono::nanoseconds base) : impl_(std::make_unique<Impl>()) {
    impl_->base = std::max(base, std::chrono::nanoseconds(1000));
}

TcpInfoSampler::~TcpInfoSampler() {
    stop();
}

std::uint64_t TcpInfoSampler::add(int fd, std::string name) {
    const std::lock_guard lock(impl_->mutex);
    const std::uint64_t handle = impl_->names.size();
    impl_->names.push_back(name);
    impl_->open.push_back({handle, fd, std::move(name), {}, false});
    impl_->sample(impl_->open.back());
    if (!impl_->thread.joinable())
        impl_->thread = std::jthread([this] { impl_->run(); });
    impl_->wake.notify_all();
    return handle;
}

void TcpInfoSampler::remove(std::uint64_t handle) {
    const std::lock_guard lock(impl_->mutex);
    const auto at = std::find_if(impl_->open.begin(), impl_->open.end(),
                                 [&](const Connection &c) { return c.handle == handle; });
    if (at == impl_->open.end())
        return;
    impl_->sample(*at);
    impl_->open.erase(at);
}

void TcpInfoSampler::stop() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
        impl_->wake.notify_all();
    }
    if (impl_->thread.joinable())
        impl_->thread.join();
}

void TcpInfoSampler::write(TruthFile &file, std::string_view side) const {
    if (impl_->failure)
        std::rethrow_exception(impl_->failure);
    for (const Row &r : impl_->rows) {
        TruthRow row("tcp_info");
        row.text("side", side).number("time_ns", r.time_ns).text("connection", impl_->names[r.connection]);
        for (std::size_t i = 0; i < fields.size(); ++i)
            row.number(fields[i].name, r.values[i] == unknown ? std::nullopt : std::optional(r.values[i]));
        file.write(row);
    }
    TruthRow pace("tcp_info_sampling");
    const auto ticks = static_cast<std::int64_t>(impl_->ticks);
    pace.text("side", side)
        .number("set_period_ns", impl_->base.count())
        .number("connections", static_cast<std::int64_t>(impl_->names.size()))
        .number("ticks", ticks)
        .number("achieved_period_ns", ticks > 0 ? std::optional(impl_->sum_ns / ticks) : std::nullopt)
        .number("longest_period_ns", ticks > 0 ? std::optional(impl_->longest_ns) : std::nullopt)
        .number("rows", static_cast<std::int64_t>(impl_->rows.size()));
    file.write(pace);
}

} // namespace iscsiscope::testbed
