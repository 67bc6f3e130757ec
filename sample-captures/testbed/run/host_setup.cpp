// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/host_setup.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <utility>

namespace iscsiscope::testbed::run {
namespace {

using Setting = std::pair<std::string, std::string>;

// A new namespace starts with the kernel's values or the host's, by kernel: what matters to TCP is set
// outright, so that a scenario means the same everywhere. The values are Linux's own defaults but for
// the metrics cache, which would carry one connection's history into the next.
const std::vector<Setting> &defaults() {
    static const std::vector<Setting> all = {
        {"net.ipv6.conf.all.disable_ipv6", "1"},
        {"net.ipv6.conf.default.disable_ipv6", "1"},
        {"net.ipv4.tcp_no_metrics_save", "1"},
        {"net.ipv4.tcp_window_scaling", "1"},
        {"net.ipv4.tcp_timestamps", "1"},
        {"net.ipv4.tcp_sack", "1"},
        {"net.ipv4.tcp_dsack", "1"},
        {"net.ipv4.tcp_ecn", "0"},
        {"net.ipv4.tcp_fastopen", "0"},
        {"net.ipv4.tcp_slow_start_after_idle", "1"},
        {"net.ipv4.tcp_moderate_rcvbuf", "1"},
        {"net.ipv4.tcp_mtu_probing", "0"},
        {"net.ipv4.tcp_autocorking", "1"},
        {"net.ipv4.tcp_recovery", "1"},
        {"net.ipv4.tcp_early_retrans", "3"},
        {"net.ipv4.tcp_frto", "2"},
        {"net.ipv4.tcp_reordering", "3"},
        {"net.ipv4.tcp_max_reordering", "300"},
        {"net.ipv4.tcp_comp_sack_nr", "44"},
        {"net.ipv4.tcp_comp_sack_delay_ns", "1000000"},
        {"net.ipv4.tcp_tso_win_divisor", "3"},
        {"net.ipv4.tcp_limit_output_bytes", "1048576"},
        {"net.ipv4.tcp_notsent_lowat", "4294967295"},
        {"net.ipv4.tcp_pacing_ss_ratio", "200"},
        {"net.ipv4.tcp_pacing_ca_ratio", "120"},
        {"net.ipv4.tcp_syn_retries", "6"},
        {"net.ipv4.tcp_retries2", "15"},
        {"net.ipv4.tcp_rmem", "4096 131072 6291456"},
        {"net.ipv4.tcp_wmem", "4096 16384 4194304"},
    };
    return all;
}

// The receive buffer that goes with a window of `clamp`. Up to Linux 6.10 a clamp holds and the buffer
// only has to be large enough (2 W). Since 6.11 the kernel replaces the clamp, when it first measures
// segments, by the share of the buffer that it reckons is payload: 157/256 of it with segments of
// 1448 bytes (measured on both carriers), so the buffer itself must be made to give the window.
std::uint64_t buffer_for_window(std::uint64_t clamp) {
    utsname system{};
    int major = 0;
    int minor = 0;
    ::uname(&system);
    const bool known = std::sscanf(system.release, "%d.%d", &major, &minor) == 2;
    const bool replaced = known && (major > 6 || (major == 6 && minor >= 11));
    return replaced ? clamp * 256 / 157 : std::max<std::uint64_t>(2 * clamp, 131072);
}

// Sets `route_congestion` to the congestion control that must be set on the route: a kernel lets a new
// namespace have only its own default and the unrestricted ones (reno, bbr) by sysctl.
Status set_sysctls(const scenario::Host &host, std::vector<std::string> &unknown,
                   std::string &route_congestion) {
    for (const auto &[name, value] : defaults()) {
        if (host.sysctl.count(name) > 0)
            continue;
        if (!shim::sysctl_exists(name))
            unknown.push_back(name);
        else if (Status failure = shim::write_sysctl(name, value))
            return failure;
    }
    if (shim::write_sysctl("net.ipv4.tcp_congestion_control", host.congestion_control))
        route_congestion = host.congestion_control;
    std::vector<Setting> own;
    // Initial and largest size alike: the kernel does not adjust the buffer then.
    if (host.receive_buffer || host.window_clamp) {
        const std::uint64_t size =
            host.window_clamp ? buffer_for_window(*host.window_clamp) : *host.receive_buffer;
        own.emplace_back("net.ipv4.tcp_rmem", fmt::format("4096 {0} {0}", size));
    }
    if (host.send_buffer)
        own.emplace_back("net.ipv4.tcp_wmem", fmt::format("4096 {0} {0}", *host.send_buffer));
    own.insert(own.end(), host.sysctl.begin(), host.sysctl.end());
    for (const auto &[name, value] : own)
        if (Status failure = shim::write_sysctl(name, value))
            return Failure{fmt::format("host {}: {}", host.name, failure->message)};
    return {};
}

} // namespace

Result<HostSet> set_up_hosts(const scenario::Scenario &scenario) {
    HostSet set;
    std::vector<std::string> route_congestion(scenario.hosts.size());
    for (const scenario::Host &host : scenario.hosts) {
        Result<shim::NetNamespace> space = shim::NetNamespace::create();
        if (!space.ok())
            return space.failure();
        set.spaces.push_back(std::move(space.value()));
        set.unknown_sysctls.clear(); // the same for every host
        const Status failure = set.spaces.back().inside(
            [&] { return set_sysctls(host, set.unknown_sysctls, route_congestion[set.spaces.size() - 1]); });
        if (failure)
            return *failure;
    }
    bool tun = scenario.carrier == scenario::Carrier::tun;
    if (scenario.carrier == scenario::Carrier::automatic) {
        // Tried in a namespace that is thrown away.
        Result<shim::NetNamespace> trial = shim::NetNamespace::create();
        tun = trial.ok() && shim::tun_available(trial.value());
    }
    set.carrier = tun ? shim::CarrierKind::tun : shim::CarrierKind::veth;
    for (std::uint32_t i = 0; i < scenario.hosts.size(); ++i) {
        const scenario::Host &host = scenario.hosts[i];
        const shim::RouteMetrics route{static_cast<std::uint32_t>(host.window_clamp.value_or(0)),
                                       host.initial_window, route_congestion[i]};
        const shim::HostDevice device{i, host.addresses, host.mtu, route};
        Result<std::unique_ptr<shim::Port>> port =
            tun ? shim::make_tun_port(device, set.spaces[i]) : shim::make_veth_port(device, set.spaces[i]);
        if (!port.ok()) {
            const std::string hint = route_congestion[i].empty() ? ""
                                                                 : " (is there a congestion control \"" +
                                                                       route_congestion[i] + "\"?)";
            return Failure{fmt::format("host {}: {}{}", host.name, port.failure().message, hint)};
        }
        set.ports.push_back(std::move(port.value()));
    }
    return set;
}

} // namespace iscsiscope::testbed::run
