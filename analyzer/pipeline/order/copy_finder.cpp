// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/order/copy_finder.h"

#include <algorithm>

namespace iscsiscope {
namespace {

std::size_t bucket_of(const Segment &s) {
    const std::uint64_t mixed = (std::uint64_t{s.sequence} << 32 | s.acknowledgment) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(mixed >> 56);
}

bool same_header(const Segment &a, const Segment &b) {
    const TcpOptions &x = a.options, &y = b.options;
    return a.sequence == b.sequence && a.acknowledgment == b.acknowledgment &&
           a.payload_length == b.payload_length && a.flags == b.flags && a.window == b.window &&
           x.has_timestamps == y.has_timestamps && x.timestamp_value == y.timestamp_value &&
           x.timestamp_echo == y.timestamp_echo && x.sack_count == y.sack_count;
}

bool same_connection(const Segment &a, const Segment &b) {
    return a.source == b.source && a.destination == b.destination;
}

bool same_ip_id(const Segment &a, const Segment &b) {
    return a.has_ip_id == b.has_ip_id && (!a.has_ip_id || a.ip_id == b.ip_id);
}

// True if one of them has passed a device that the other one has not.
bool through_a_device(const Segment &a, const Segment &b) {
    const MacAddress unknown{};
    return a.ip_ttl != b.ip_ttl ||
           (a.source_mac != b.source_mac && a.source_mac != unknown && b.source_mac != unknown);
}

} // namespace

bool CopyFinder::is_identified(const Segment &s) const {
    return s.has_ip_id && s.ip_id != 0 &&
           std::none_of(
               seen_.begin(), seen_.begin() + static_cast<std::ptrdiff_t>(count_),
               [&](const Segment &other) {
                   return other.ip_id == s.ip_id && other.source.address == s.source.address &&
                          !same_header(other, s);
               });
}

CopyKind CopyFinder::compare(const Segment &s, const Segment &before) const {
    if (s.time - before.time > longest || !same_header(s, before))
        return CopyKind::none;
    if (same_connection(s, before))
        return same_ip_id(s, before) && (through_a_device(s, before) || is_identified(s))
                   ? CopyKind::same_connection
                   : CopyKind::none;
    const bool translated =
        (s.source.address == before.source.address) != (s.destination.address == before.destination.address);
    const bool stamped = s.options.has_timestamps && s.options.timestamp_value != 0;
    return translated && (stamped || (s.ip_id != 0 && same_ip_id(s, before))) ? CopyKind::translated
                                                                              : CopyKind::none;
}

CopyKind CopyFinder::find(const Segment &s) {
    const std::size_t bucket = bucket_of(s);
    CopyKind kind = CopyKind::none;
    for (std::uint8_t i = latest_[bucket]; i != none && kind == CopyKind::none; i = older_[i])
        if (kind_[i] != CopyKind::translated) // answers come to the translated addresses first
            kind = compare(s, seen_[i]);
    if (kind == CopyKind::translated && translated_.size() < max_translated)
        translated_.insert(std::minmax(s.source, s.destination));
    if (kind == CopyKind::none && !translated_.empty()) [[unlikely]] {
        const Pair pair = std::minmax(s.source, s.destination);
        if ((s.flags & (tcp_syn | tcp_ack)) == tcp_syn)
            translated_.erase(pair);
        else if (translated_.contains(pair))
            kind = CopyKind::translated;
    }
    keep(s, bucket, kind);
    return kind;
}

void CopyFinder::keep(const Segment &s, std::size_t bucket, CopyKind kind) {
    const auto i = static_cast<std::uint8_t>(next_);
    next_ = (next_ + 1) % kept;
    if (count_ == kept) { // it is the oldest of its bucket
        std::uint8_t *to = &latest_[bucket_[i]];
        while (*to != i)
            to = &older_[*to];
        *to = none;
    } else {
        ++count_;
    }
    seen_[i] = s;
    seen_[i].payload = seen_[i].header = {};
    kind_[i] = kind;
    bucket_[i] = static_cast<std::uint8_t>(bucket);
    older_[i] = latest_[bucket];
    latest_[bucket] = i;
}

} // namespace iscsiscope
