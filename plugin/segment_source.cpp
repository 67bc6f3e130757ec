// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/segment_source.h"

#include "analyzer/capture/files/frame_tally.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

namespace iscsiscope::plugin {
namespace {

constexpr std::uint32_t link_raw = 101; // LINKTYPE_RAW: the packet begins with the IP header

// Clamps the time to the range of FrameDecoder's times.
Time time_of(const nstime_t &t) {
    constexpr std::int64_t second = 1'000'000'000;
    if (t.secs >= max_time_ns / second)
        return time_from_ns(max_time_ns);
    if (t.secs <= -(max_time_ns / second))
        return time_from_ns(-max_time_ns);
    return time_from_ns(static_cast<std::int64_t>(t.secs) * second + t.nsecs);
}

// Returns the offset of the source address, to which Wireshark points, in the IP header. 0: not IP.
std::uint32_t source_at(const address &source) {
    if (source.data == nullptr)
        return 0;
    switch (source.type) {
    case AT_IPv4:
        return 12; // RFC 791 section 3.1
    case AT_IPv6:
        return 8; // RFC 8200 section 3
    default:
        return 0;
    }
}

// Returns the offset of the IP header with these addresses; empty if it is not among these bytes.
std::optional<std::size_t> header_at(std::span<const std::byte> bytes, const packet_info *pinfo,
                                     std::uint32_t before) {
    const address &source = pinfo->net_src, &destination = pinfo->net_dst;
    const auto at =
        reinterpret_cast<std::uintptr_t>(source.data) - reinterpret_cast<std::uintptr_t>(bytes.data());
    if (at < bytes.size()) // an address before the bytes gives a huge difference
        return at < before ? std::nullopt : std::optional<std::size_t>(at - before);
    constexpr int size = 16;
    if (source.type != AT_IPv6 || source.len != size || destination.type != AT_IPv6 ||
        destination.len != size)
        return std::nullopt;
    // Of IPv6 Wireshark points to copies. The outermost header with both addresses is taken: what is in
    // tunnels behind it the decoder finds by itself.
    std::array<std::byte, std::size_t{2} * size> both{};
    std::memcpy(both.data(), source.data, size);
    std::memcpy(both.data() + size, destination.data, size);
    for (auto from = bytes.begin();;) {
        const auto found = std::search(from, bytes.end(), both.begin(), both.end());
        if (found == bytes.end())
            return std::nullopt;
        const auto offset = static_cast<std::size_t>(found - bytes.begin());
        if (offset >= before && std::to_integer<unsigned>(bytes[offset - before]) >> 4 == 6)
            return offset - before;
        from = found + 1;
    }
}

// Returns whether the packet whose IP header is there is quoted by an ICMP message (RFC 792, RFC 4443).
bool is_quoted(std::span<const std::byte> bytes, std::size_t header) {
    const auto at = [&](std::size_t before) {
        return before <= header ? std::to_integer<unsigned>(bytes[header - before]) : 0U;
    };
    constexpr std::size_t message = 8; // what ICMP puts before the packet
    if (at(message + 40) >> 4 == 6 && at(message + 40 - 6) == 58 && at(message) < 128)
        return true;
    for (std::size_t length = 20; length <= 60; length += 4)
        if (at(message + length) == (4U << 4 | length / 4) && at(message + length - 9) == 1)
            return true;
    return false;
}

// Sets the frame's bytes to those of this buffer from the IP header on. Returns false if the header is not in
// the buffer. before: bytes of the header in front of the source address. layers: whether Wireshark's list of
// layers was there to say that the packet is not quoted.
bool take(tvbuff_t *buffer, const packet_info *pinfo, std::uint32_t before, bool layers, Frame &frame) {
    const guint captured = tvb_captured_length(buffer);
    if (captured == 0)
        return false;
    // All of it is there, so it cannot throw (Wireshark throws by longjmp).
    const guint8 *begin = tvb_get_ptr(buffer, 0, static_cast<gint>(captured));
    const std::span bytes(reinterpret_cast<const std::byte *>(begin), captured);
    const std::optional<std::size_t> offset = header_at(bytes, pinfo, before);
    if (!offset || (!layers && is_quoted(bytes, *offset)))
        return false;
    frame.bytes = bytes.subspan(*offset);
    frame.original_length = tvb_reported_length(buffer) - static_cast<guint>(*offset);
    return true;
}

} // namespace

void SegmentSource::look_up() {
    ip_ = proto_get_id_by_filter_name("ip");
    ipv6_ = proto_get_id_by_filter_name("ipv6");
    icmp_ = proto_get_id_by_filter_name("icmp");
    icmpv6_ = proto_get_id_by_filter_name("icmpv6");
    tcp_ = proto_get_id_by_filter_name("tcp");
}

bool SegmentSource::holds_tcp(const packet_info *pinfo) const {
    if (pinfo->layers == nullptr)
        return false;
    for (wmem_list_frame_t *layer = wmem_list_head(pinfo->layers); layer != nullptr;
         layer = wmem_list_frame_next(layer)) {
        const int id = GPOINTER_TO_INT(wmem_list_frame_data(layer));
        if (id == icmp_ || id == icmpv6_)
            return false;
        if (id == tcp_)
            return true;
    }
    return false;
}

Frame SegmentSource::ip_packet(const packet_info *pinfo, tvbuff_t *bytes) const {
    Frame frame;
    frame.number = pinfo->num;
    frame.time = time_of(pinfo->abs_ts);
    frame.link_type = link_raw;
    const std::uint32_t before = source_at(pinfo->net_src);
    if (before == 0 || pinfo->layers == nullptr)
        return frame;
    bool has_ip = false;
    for (wmem_list_frame_t *layer = wmem_list_head(pinfo->layers); layer != nullptr;
         layer = wmem_list_frame_next(layer)) {
        const int id = GPOINTER_TO_INT(wmem_list_frame_data(layer));
        if (id == icmp_ || id == icmpv6_)
            return frame; // the IP packet that follows is quoted by ICMP
        has_ip = has_ip || id == ip_ || id == ipv6_;
    }
    // Addresses that another protocol set have no IP header around them. But of a frame whose dissection
    // ended where its bytes were cut, Wireshark 4.4.19 and 4.6.9 forget the layers.
    if ((!has_ip && pinfo->ptype != PT_TCP) || take(bytes, pinfo, before, has_ip, frame))
        return frame;
    for (const GSList *other = pinfo->data_src; other != nullptr; other = other->next)
        if (take(get_data_source_tvb(static_cast<const data_source *>(other->data)), pinfo, before, has_ip,
                 frame))
            break;
    return frame;
}

} // namespace iscsiscope::plugin
