// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/live/packet_filter.h"

#include <fmt/format.h>
#include <memory>
#include <pcap/pcap.h>

namespace iscsiscope::testbed::run {
namespace {

constexpr int whole_packets = 262144;

struct Program {
    bpf_program code{};
    Program() = default;
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() { ::pcap_freecode(&code); }
};

} // namespace

Result<shim::PacketFilter> compile_filter(const std::string &expression, shim::CaptureFraming framing) {
    const int link = framing == shim::CaptureFraming::ethernet ? DLT_EN10MB : DLT_RAW;
    const std::unique_ptr<pcap_t, decltype(&::pcap_close)> handle(::pcap_open_dead(link, whole_packets),
                                                                  ::pcap_close);
    if (handle == nullptr)
        return Failure{"capture filter: libpcap could not be started"};
    const auto program = std::make_shared<Program>();
    if (::pcap_compile(handle.get(), &program->code, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
        return Failure{fmt::format("capture filter \"{}\": {}", expression, ::pcap_geterr(handle.get()))};
    return shim::PacketFilter([program](std::span<const std::uint8_t> bytes, std::size_t wire_bytes) {
        pcap_pkthdr header{};
        header.caplen = static_cast<bpf_u_int32>(bytes.size());
        header.len = static_cast<bpf_u_int32>(wire_bytes);
        return ::pcap_offline_filter(&program->code, &header, bytes.data()) != 0;
    });
}

} // namespace iscsiscope::testbed::run
