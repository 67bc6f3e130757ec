// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/read_parts.h"

#include <algorithm>

namespace iscsiscope::testbed::scenario {
namespace {

constexpr shim::Ipv4 default_network = (10U << 24U) | (77U << 16U); // 10.77.0.0

void read_addresses(TableReader &row, Host &host, const Scenario &scenario) {
    std::vector<std::string> texts = row.texts("addresses");
    if (const auto one = row.text("address")) {
        if (row.has("addresses"))
            row.mistake("address", "address and addresses exclude each other");
        texts.push_back(*one);
    }
    const char *key = row.has("addresses") ? "addresses" : "address";
    for (const std::string &text : texts) {
        const std::optional<shim::Ipv4> address = shim::parse_ipv4(text);
        if (!address) {
            row.mistake(key, fmt::format("\"{}\" is not an IPv4 address", text));
            continue;
        }
        for (const Host &other : scenario.hosts)
            if (std::find(other.addresses.begin(), other.addresses.end(), *address) != other.addresses.end())
                row.mistake(key, fmt::format("{} is host {}'s address", text, other.name));
        host.addresses.push_back(*address);
    }
    if (texts.empty())
        host.addresses.push_back(default_network + static_cast<shim::Ipv4>(scenario.hosts.size()) + 1);
}

void read_tcp(TableReader &row, Host &host) {
    host.congestion_control = row.text("congestion_control").value_or(host.congestion_control);
    host.receive_buffer = row.bytes("receive_buffer");
    host.send_buffer = row.bytes("send_buffer");
    host.window_clamp = row.bytes("window_clamp");
    if (const auto segments = row.integer("initial_window", 1, 100))
        host.initial_window = static_cast<std::uint32_t>(*segments);
    if (host.receive_buffer && host.window_clamp)
        row.mistake("window_clamp", "window_clamp sets the receive buffer: the two exclude each other");
    for (const char *key : {"receive_buffer", "send_buffer", "window_clamp"}) {
        const auto &size = *key == 'r'   ? host.receive_buffer
                           : *key == 's' ? host.send_buffer
                                         : host.window_clamp;
        if (size && (*size < 4096 || *size > (std::uint64_t{1} << 30U)))
            row.mistake(key, "expected 4KiB to 1GiB");
    }
    auto sysctl = row.table("sysctl");
    if (!sysctl)
        return;
    for (const auto &[name, value] : sysctl->raw()) {
        const std::string key(name.str());
        sysctl->node(key);
        if (key.rfind("net.", 0) != 0 || key.find("..") != std::string::npos ||
            key.find('/') != std::string::npos)
            sysctl->mistake(key, "expected a name like \"net.ipv4.tcp_sack\" (in quotes)");
        else if (value.is_string())
            host.sysctl[key] = value.as_string()->get();
        else if (value.is_integer())
            host.sysctl[key] = std::to_string(value.as_integer()->get());
        else
            sysctl->mistake(key, "expected a whole number or a string");
    }
}

} // namespace

bool is_plain_name(const std::string &name) {
    return !name.empty() && name.size() <= 64 &&
           std::all_of(
               name.begin(), name.end(),
               [](char c) {
                   return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          c == '-' || c == '_';
               });
}

std::optional<std::uint32_t> host_named(const Scenario &scenario, const std::string &name) {
    for (std::uint32_t i = 0; i < scenario.hosts.size(); ++i)
        if (scenario.hosts[i].name == name)
            return i;
    return std::nullopt;
}

void read_hosts(TableReader &top, Scenario &scenario) {
    for (TableReader &row : top.tables("host")) {
        Host host;
        host.name = row.require_text("name");
        if (!host.name.empty() && (!is_plain_name(host.name) || host_named(scenario, host.name)))
            row.mistake("name", "must be unique, and of letters, digits, - and _ only");
        read_addresses(row, host, scenario);
        if (const auto mtu = row.integer("mtu", 576, 65535))
            host.mtu = static_cast<std::uint32_t>(*mtu);
        host.capture = row.flag("capture").value_or(true);
        read_tcp(row, host);
        row.refuse_the_rest();
        scenario.network.host_addresses.push_back(host.addresses);
        scenario.hosts.push_back(std::move(host));
    }
    if (scenario.hosts.size() < 2)
        top.mistake("host", "at least two hosts are needed");
}

namespace {

// "target" (all its addresses) or "target@10.0.0.2" (one of them).
std::vector<shim::Ipv4> path_end(TableReader &row, const Scenario &scenario, const std::string &text) {
    const std::size_t at = text.find('@');
    const auto host = host_named(scenario, text.substr(0, at));
    if (!host) {
        row.mistake("between", no_such_host(scenario, text.substr(0, at)));
        return {};
    }
    const std::vector<shim::Ipv4> &all = scenario.hosts[*host].addresses;
    if (at == std::string::npos)
        return all;
    const auto address = shim::parse_ipv4(text.substr(at + 1));
    if (!address || std::find(all.begin(), all.end(), *address) == all.end()) {
        row.mistake("between",
                    fmt::format("host {} has no address {}", text.substr(0, at), text.substr(at + 1)));
        return {};
    }
    return {*address};
}

bool overlaps(const std::vector<shim::Ipv4> &a, const std::vector<shim::Ipv4> &b) {
    return std::any_of(
        a.begin(), a.end(), [&b](shim::Ipv4 x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

} // namespace

void read_paths(TableReader &top, Scenario &scenario) {
    for (TableReader &row : top.tables("path")) {
        shim::PathConfig path;
        const std::vector<std::string> between = row.texts("between");
        if (between.size() != 2) {
            row.mistake("between", "expected two hosts, as in [\"initiator\", \"target\"]");
        } else {
            path.first = path_end(row, scenario, between[0]);
            path.second = path_end(row, scenario, between[1]);
            if (overlaps(path.first, path.second))
                row.mistake("between", "expected two different hosts");
        }
        for (const shim::PathConfig &other : scenario.network.paths)
            if ((overlaps(path.first, other.first) && overlaps(path.second, other.second)) ||
                (overlaps(path.first, other.second) && overlaps(path.second, other.first)))
                row.mistake("between", "another path joins these already");
        for (const std::string &name : row.texts("links"))
            if (const auto link = link_named(scenario, name))
                path.links.push_back(*link);
            else
                row.mistake("links", no_such_link(scenario, name));
        if (path.links.empty() && !row.has("links"))
            row.mistake("links", "is missing");
        row.refuse_the_rest();
        scenario.network.paths.push_back(std::move(path));
    }
    if (scenario.network.paths.empty())
        top.mistake("path", "no two hosts are joined: a [[path]] is needed");
}

} // namespace iscsiscope::testbed::scenario
