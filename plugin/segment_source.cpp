// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/segment_source.h"

#include "analyzer/capture/frame_tally.h"
#include "analyzer/capture/packet_view.h"
#include "analyzer/capture/tcp_header.h"

#include <algorithm>
#include <cstring>

namespace iscsiscope::plugin {
namespace {

// Wireshark's item of that protocol, counted from the outside. Null: it has not kept it.
const field_info *item(const proto_tree *tree, int protocol, unsigned number) {
    const GPtrArray *all = proto_get_finfo_ptr_array(tree, protocol);
    if (all == nullptr || number >= all->len)
        return nullptr;
    return static_cast<const field_info *>(all->pdata[number]);
}

// From the item's first byte to the end of its buffer: for IP's payload Wireshark has ended that where
// the IP length says.
PacketView bytes_from(const field_info *info) {
    tvbuff_t *tvb = info == nullptr ? nullptr : info->ds_tvb;
    if (tvb == nullptr || info->start < 0)
        return {nullptr, 0, 0};
    const gint captured = tvb_captured_length_remaining(tvb, info->start);
    const gint reported = tvb_reported_length_remaining(tvb, info->start);
    if (captured <= 0 || reported <= 0)
        return {nullptr, 0, 0};
    // Checked above, so it cannot throw (Wireshark throws by longjmp).
    const guint8 *data = tvb_get_ptr(tvb, info->start, captured);
    return {reinterpret_cast<const std::byte *>(data),
            static_cast<std::uint32_t>(std::min(captured, reported)), static_cast<std::uint32_t>(reported)};
}

bool fill_v4(PacketView view, Segment &segment) {
    if (!view.has(20))
        return false;
    segment.ip_ecn = view.u8(1) & 3U;
    segment.ip_ttl = view.u8(8);
    segment.has_ip_id = true;
    segment.ip_id = view.u16(4);
    for (const auto &[address, at] :
         {std::pair(&segment.source.address, 12), {&segment.destination.address, 16}}) {
        *address = {};
        address->bytes[10] = address->bytes[11] = 0xff;
        std::memcpy(address->bytes.data() + 12, view.data + at, 4);
    }
    return true;
}

bool fill_v6(PacketView view, Segment &segment) {
    if (!view.has(40))
        return false;
    segment.ip_ecn = (view.u8(1) >> 4) & 3U;
    segment.ip_ttl = view.u8(7);
    segment.has_ip_id = false;
    segment.ip_id = 0;
    std::memcpy(segment.source.address.bytes.data(), view.data + 8, 16);
    std::memcpy(segment.destination.address.bytes.data(), view.data + 24, 16);
    return true;
}

// Kept within the range that the capture room keeps them in.
Time time_of(const nstime_t &t) {
    constexpr std::int64_t second = 1'000'000'000;
    if (t.secs >= max_time_ns / second)
        return time_from_ns(max_time_ns);
    if (t.secs <= -(max_time_ns / second))
        return time_from_ns(-max_time_ns);
    return time_from_ns(static_cast<std::int64_t>(t.secs) * second + t.nsecs);
}

} // namespace

void SegmentSource::want(dissector_handle_t postdissector) {
    ip_ = proto_get_id_by_filter_name("ip");
    ipv6_ = proto_get_id_by_filter_name("ipv6");
    tcp_ = proto_get_id_by_filter_name("tcp");
    icmp_ = proto_get_id_by_filter_name("icmp");
    icmpv6_ = proto_get_id_by_filter_name("icmpv6");
    GArray *wanted = g_array_new(FALSE, FALSE, sizeof(int)); // Wireshark takes it
    for (const int id : {ip_, ipv6_, tcp_})
        g_array_append_val(wanted, id);
    set_postdissector_wanted_hfids(postdissector, wanted);
}

bool SegmentSource::fill(packet_info *pinfo, proto_tree *tree, Segment &segment) const {
    if (tree == nullptr || pinfo->layers == nullptr)
        return false;
    unsigned v4 = 0, v6 = 0;
    bool last_is_v6 = false;
    for (wmem_list_frame_t *layer = wmem_list_head(pinfo->layers); layer != nullptr;
         layer = wmem_list_frame_next(layer)) {
        const int id = GPOINTER_TO_INT(wmem_list_frame_data(layer));
        if (id == icmp_ || id == icmpv6_)
            return false; // what follows is a quotation
        if (id == ip_) {
            ++v4;
            last_is_v6 = false;
        } else if (id == ipv6_) {
            ++v6;
            last_is_v6 = true;
        } else if (id == tcp_) {
            if (v4 + v6 == 0)
                return false;
            segment.frame = pinfo->num;
            segment.time = time_of(pinfo->abs_ts);
            const bool addressed = last_is_v6 ? fill_v6(bytes_from(item(tree, ipv6_, v6 - 1)), segment)
                                              : fill_v4(bytes_from(item(tree, ip_, v4 - 1)), segment);
            return addressed &&
                   read_tcp_header(bytes_from(item(tree, tcp_, 0)), segment) == TcpHeaderResult::good;
        }
    }
    return false;
}

} // namespace iscsiscope::plugin
