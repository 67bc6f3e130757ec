// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/segment_source.h"

#include "analyzer/capture/files/frame_tally.h"

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

// Sets the frame's bytes to those of this buffer, beginning `before` bytes in front of the address. Returns
// false if the address is not in the buffer.
bool take(tvbuff_t *buffer, const void *source, std::uint32_t before, Frame &frame) {
    const guint captured = tvb_captured_length(buffer);
    if (captured == 0)
        return false;
    // All of it is there, so it cannot throw (Wireshark throws by longjmp).
    const guint8 *begin = tvb_get_ptr(buffer, 0, static_cast<gint>(captured));
    const auto at = reinterpret_cast<std::uintptr_t>(source) - reinterpret_cast<std::uintptr_t>(begin);
    if (at < before || at >= captured)
        return false; // an address before the buffer gives a huge difference
    const auto offset = static_cast<guint>(at) - before;
    frame.bytes = {reinterpret_cast<const std::byte *>(begin) + offset, captured - offset};
    frame.original_length = tvb_reported_length(buffer) - offset;
    return true;
}

} // namespace

void SegmentSource::look_up() {
    ip_ = proto_get_id_by_filter_name("ip");
    ipv6_ = proto_get_id_by_filter_name("ipv6");
    icmp_ = proto_get_id_by_filter_name("icmp");
    icmpv6_ = proto_get_id_by_filter_name("icmpv6");
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
    if (!has_ip || take(bytes, pinfo->net_src.data, before, frame))
        return frame; // addresses that another protocol set have no IP header around them
    for (const GSList *other = pinfo->data_src; other != nullptr; other = other->next)
        if (take(get_data_source_tvb(static_cast<const data_source *>(other->data)), pinfo->net_src.data,
                 before, frame))
            break;
    return frame;
}

} // namespace iscsiscope::plugin
