// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/truth_rows.h"

#include "analyzer/base/json_row.h"
#include "analyzer/base/number_format.h"

namespace iscsiscope::testbed::shim {
namespace {

constexpr Duration late_warning = std::chrono::milliseconds(1);
constexpr Duration clock_step_bound = std::chrono::milliseconds(1);

// Enough to find the packet again: its frame in the source's capture and its TCP sequence range.
void identify(JsonObject &row, const Packet &packet, const std::vector<std::string> &host_names) {
    const PacketInfo &info = packet.info;
    row.text("from", host_names[packet.from_host]).number("frame", packet.frame);
    row.text("source", to_string(info.source)).text("destination", to_string(info.destination));
    row.number("ip_bytes", info.ip_bytes).number("ip_id", info.ip_id);
    if (info.is_tcp()) {
        row.number("source_port", info.source_port).number("destination_port", info.destination_port);
        row.number("seq", info.tcp_seq).number("ack", info.tcp_ack).number("flags", info.tcp_flags);
        row.number("payload_bytes", info.tcp_payload);
    }
}

std::string quantiles(const Histogram &h) {
    return JsonObject()
        .number("count", h.count())
        .number("p50_ns", h.quantile(0.5).value_or(0))
        .number("p90_ns", h.quantile(0.9).value_or(0))
        .number("p99_ns", h.quantile(0.99).value_or(0))
        .number("p999_ns", h.quantile(0.999).value_or(0))
        .number("max_ns", h.maximum().value_or(0))
        .str();
}

const char *kind_name(Disturbance::Kind kind) {
    switch (kind) {
    case Disturbance::Kind::out_of_turn:
        return "out_of_turn";
    case Disturbance::Kind::duplicate:
        return "duplicate";
    case Disturbance::Kind::window_scale_stripped:
        return "window_scale_stripped";
    }
    return "";
}

std::string link_row(const Network &network, std::uint32_t index, Direction direction) {
    const Network::Totals &totals = network.totals(index, direction);
    const Link &link = network.link(index, direction);
    JsonObject drops;
    for (const auto &[cause, count] : totals.drops)
        drops.number(to_string(cause), count);
    return JsonObject()
        .text("row", "link")
        .text("side", "shim")
        .text("link", network.config().links[index].name)
        .text("direction", to_string(direction))
        .number("packets_in", totals.packets_in)
        .number("bytes_in", totals.bytes_in)
        .number("packets_out", totals.packets_out)
        .number("bytes_out", totals.bytes_out)
        .json("drops", drops.str())
        .number("duplicates", totals.duplicates)
        .number("out_of_turn", totals.out_of_turn)
        .number("largest_queue_packets", link.largest_queue_packets())
        .number("largest_queue_bytes", link.largest_queue_bytes())
        .str();
}

} // namespace

std::vector<std::string> shim_truth_rows(const Shim &shim, const std::vector<std::string> &host_names) {
    std::vector<std::string> rows;
    const Network &network = shim.network();
    for (const Drop &drop : shim.record().drops) {
        JsonObject row;
        row.text("row", "drop").text("side", "shim").number("time_ns", shim.realtime_ns(drop.at));
        if (drop.cause != DropCause::unroutable) {
            row.text("link", network.config().links[drop.link].name);
            row.text("direction", to_string(drop.direction));
        }
        row.text("cause", to_string(drop.cause)).number("queue_packets", drop.queue_packets);
        identify(row, *drop.packet, host_names);
        rows.push_back(row.str());
    }
    for (const Disturbance &disturbance : shim.record().disturbances) {
        JsonObject row;
        row.text("row", "disturbance").text("side", "shim").text("kind", kind_name(disturbance.kind));
        row.number("time_ns", shim.realtime_ns(disturbance.at));
        row.number("delivered_ns", shim.realtime_ns(disturbance.deliver));
        row.text("link", network.config().links[disturbance.link].name);
        row.text("direction", to_string(disturbance.direction));
        identify(row, *disturbance.packet, host_names);
        rows.push_back(row.str());
    }
    for (const PacketRef &packet : network.packets_under_way()) {
        JsonObject row;
        row.text("row", "in_flight_at_end").text("side", "shim");
        identify(row, *packet, host_names);
        rows.push_back(row.str());
    }
    for (std::uint32_t link = 0; link < network.config().links.size(); ++link) {
        rows.push_back(link_row(network, link, Direction::forward));
        rows.push_back(link_row(network, link, Direction::backward));
    }
    const ShimRecord &record = shim.record();
    rows.push_back(JsonObject()
                       .text("row", "shim")
                       .text("side", "shim")
                       .number("packets_in", record.packets_in)
                       .number("packets_delivered", record.packets_delivered)
                       .number("bytes_delivered", record.bytes_delivered)
                       .number("not_ipv4", record.not_ipv4)
                       .number("refused_by_kernel", record.refused_by_kernel)
                       .json("lateness", quantiles(record.lateness))
                       .json("pickup", quantiles(record.pickup))
                       .json("read_gap", quantiles(record.read_gap))
                       .number("longest_stall_ns", to_ns(record.longest_stall))
                       .number("longest_stall_at_ns", shim.realtime_ns(record.longest_stall_at))
                       .number("clock_step_ns", to_ns(record.clock_step))
                       .str());
    return rows;
}

Validity judge(Shim &shim, const std::vector<std::string> &host_names, Duration stall_bound) {
    Validity verdict;
    const ShimRecord &record = shim.record();
    if (record.longest_stall > stall_bound) {
        verdict.reasons.push_back(fmt::format("the shim stalled for {} (bound {})",
                                              human::duration(record.longest_stall),
                                              human::duration(stall_bound)));
    }
    for (std::uint32_t host = 0; host < host_names.size(); ++host) {
        const Result<KernelLosses> losses = shim.losses(host);
        if (!losses.ok()) {
            verdict.reasons.push_back(losses.failure().message);
            continue;
        }
        const KernelLosses &lost = losses.value();
        if (lost.to_shim + lost.to_host > 0) {
            verdict.reasons.push_back(
                fmt::format("the kernel dropped {} packets from and {} to host {} outside the links",
                            lost.to_shim, lost.to_host, host_names[host]));
        }
        if (lost.bad_checksum > 0) {
            verdict.warnings.push_back(
                fmt::format("{} packets from host {} carry a checksum left to hardware", lost.bad_checksum,
                            host_names[host]));
        }
    }
    if (record.refused_by_kernel > 0) {
        verdict.reasons.push_back(
            fmt::format("the kernel refused {} packets from the shim", record.refused_by_kernel));
    }
    if (record.clock_step > clock_step_bound) {
        verdict.reasons.push_back(fmt::format("the system's clock was set by {} during the run",
                                              human::duration(record.clock_step)));
    }
    const Duration late{record.lateness.quantile(0.99).value_or(0)};
    if (late > late_warning) {
        verdict.warnings.push_back(
            fmt::format("the machine could not hold the set times: 1 packet in 100 was over {} late",
                        human::duration(late)));
    }
    return verdict;
}

} // namespace iscsiscope::testbed::shim
