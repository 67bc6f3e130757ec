// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/capture_check.h"

#include "sample-captures/testbed/net/packets/packet_edit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace iscsiscope::testbed::run {
namespace {

constexpr std::uint32_t interface_description = 1;
constexpr std::uint32_t enhanced_packet = 6;
constexpr std::size_t packet_data = 28; // in an enhanced packet block
constexpr std::uint16_t link_ethernet = 1;
constexpr std::size_t ethernet_bytes = 14;

template <typename Number>
Number number_at(const std::vector<std::uint8_t> &bytes, std::size_t at) {
    Number value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

// Distinguishes packets: a retransmission of Linux has a new IP identification.
using Identity = std::tuple<shim::Ipv4, shim::Ipv4, std::uint16_t, std::uint16_t, std::uint16_t,
                            std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t>;
Identity identity(const shim::PacketInfo &info) {
    return {info.source,  info.destination, info.ip_id,       info.source_port, info.destination_port,
            info.tcp_seq, info.tcp_ack,     info.tcp_payload, info.tcp_flags};
}

// The frames of `host` that never arrived, as the truth file has them.
std::set<std::uint64_t> logged_frames(const std::string &path, const std::string &host) {
    std::set<std::uint64_t> frames;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        const bool gone =
            line.rfind("{\"row\":\"drop\"", 0) == 0 || line.rfind("{\"row\":\"in_flight_at_end\"", 0) == 0;
        const std::string from = fmt::format("\"from\":\"{}\",\"frame\":", host);
        const std::size_t at = gone ? line.find(from) : std::string::npos;
        if (at != std::string::npos)
            frames.insert(std::stoull(line.substr(at + from.size())));
    }
    return frames;
}

} // namespace

Result<std::vector<CapturedPacket>> read_capture(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<CapturedPacket> packets;
    std::size_t link_header = 0;
    for (std::size_t at = 0; at + 12 <= bytes.size();) {
        const auto type = number_at<std::uint32_t>(bytes, at);
        const auto length = number_at<std::uint32_t>(bytes, at + 4);
        if (length < 12 || length % 4 != 0 || length > bytes.size() - at)
            return Failure{fmt::format("{} is damaged at byte {}", path, at)};
        if (type == interface_description) {
            link_header = number_at<std::uint16_t>(bytes, at + 8) == link_ethernet ? ethernet_bytes : 0;
        } else if (type == enhanced_packet && length >= packet_data + 4) {
            const auto kept = number_at<std::uint32_t>(bytes, at + 20);
            const std::size_t start = at + packet_data + link_header;
            if (kept < link_header || kept > length - packet_data - 4)
                return Failure{fmt::format("{} is damaged at byte {}", path, at)};
            const std::span<const std::uint8_t> ip{bytes.data() + start, kept - link_header};
            const auto info = shim::parse_packet(ip);
            if (!info)
                return Failure{fmt::format("{}: no whole IPv4 packet at byte {}", path, at)};
            const auto high = std::uint64_t{number_at<std::uint32_t>(bytes, at + 12)};
            const auto low = number_at<std::uint32_t>(bytes, at + 16);
            packets.push_back({static_cast<std::int64_t>((high << 32U) | low), *info,
                               !info->is_tcp() || shim::tcp_checksum_residue(ip, *info) == 0});
        }
        at += length;
    }
    if (bytes.empty())
        return Failure{path + " cannot be read"};
    return packets;
}

Result<PathCheck> check_path(const std::string &prefix, const PathEnd &source, const PathEnd &destination) {
    const auto sent = read_capture(fmt::format("{}.{}.pcapng", prefix, source.host));
    const auto arrived = read_capture(fmt::format("{}.{}.pcapng", prefix, destination.host));
    if (!sent.ok() || !arrived.ok())
        return sent.ok() ? arrived.failure() : sent.failure();
    const std::set<std::uint64_t> logged = logged_frames(prefix + ".truth.jsonl", source.host);
    const auto on_path = [&](const CapturedPacket &packet) {
        return packet.info.source == source.address && packet.info.destination == destination.address;
    };
    struct Arrivals {
        std::vector<std::int64_t> times;
        std::size_t used = 0;
        bool sent = false;
    };
    std::map<Identity, Arrivals> there;
    for (const CapturedPacket &packet : arrived.value())
        if (on_path(packet))
            there[identity(packet.info)].times.push_back(packet.time_ns);
    PathCheck check;
    for (std::size_t i = 0; i < sent.value().size(); ++i) {
        const CapturedPacket &packet = sent.value()[i];
        if (!on_path(packet))
            continue;
        ++check.sent;
        Arrivals &arrivals = there[identity(packet.info)];
        arrivals.sent = true;
        const bool in_log = logged.count(i + 1) > 0;
        check.logged += in_log ? 1 : 0;
        if (arrivals.used < arrivals.times.size() && !in_log) {
            check.transit_ns.push_back(arrivals.times[arrivals.used] - packet.time_ns);
            ++arrivals.used;
            ++check.arrived;
        } else {
            ++check.missing;
            check.missing_not_logged += in_log ? 0 : 1;
        }
    }
    for (const auto &[key, arrivals] : there) {
        (arrivals.sent ? check.logged_not_missing : check.out_of_nothing) +=
            arrivals.times.size() - arrivals.used;
    }
    return check;
}

Result<double> acknowledged_rate(const std::string &prefix, const std::string &receiver, std::int64_t from_ns,
                                 std::int64_t until_ns) {
    const auto capture = read_capture(fmt::format("{}.{}.pcapng", prefix, receiver));
    if (!capture.ok())
        return capture.failure();
    std::map<std::pair<shim::Ipv4, std::uint16_t>, std::uint32_t> highest; // by where the ACK goes
    std::int64_t total = 0;
    std::set<std::pair<shim::Ipv4, std::uint16_t>> data_from;
    const std::int64_t start = capture.value().empty() ? 0 : capture.value().front().time_ns;
    for (const CapturedPacket &packet : capture.value()) {
        const shim::PacketInfo &info = packet.info;
        if (info.has_payload())
            data_from.insert({info.source, info.source_port});
        const std::pair<shim::Ipv4, std::uint16_t> to{info.destination, info.destination_port};
        if (!info.pure_ack() || data_from.count(to) == 0)
            continue;
        const auto peer = highest.try_emplace(to, info.tcp_ack).first;
        const auto step = static_cast<std::int32_t>(info.tcp_ack - peer->second); // RFC 1982
        const std::int64_t at = packet.time_ns - start;
        if (step > 0) {
            peer->second = info.tcp_ack;
            total += at > from_ns && at <= until_ns ? step : 0;
        }
    }
    return static_cast<double>(total) * 1e9 / static_cast<double>(until_ns - from_ns);
}

std::int64_t quantile_of(std::vector<std::int64_t> values, double q) {
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
    return values[std::min(std::max<std::size_t>(rank, 1), values.size()) - 1];
}

} // namespace iscsiscope::testbed::run
