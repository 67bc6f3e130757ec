// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/unread_traffic.h"

#include "analyzer/base/byte_order.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace iscsiscope {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t record_header = 5; // type, version, length (RFC 8446 section 5.1)
constexpr unsigned handshake = 22;
constexpr std::uint64_t enough_records = 8;

unsigned at(Bytes b, std::size_t i) {
    return std::to_integer<unsigned>(b[i]);
}

bool begins_with(Bytes b, std::string_view words) {
    return b.size() >= words.size() && std::memcmp(b.data(), words.data(), words.size()) == 0;
}

bool is_record(Bytes b) {
    constexpr unsigned longest = (1U << 14) + 2048;
    const unsigned length = b.size() < record_header ? 0 : load_big<std::uint16_t>(b.data() + 3);
    return length != 0 && length <= longest && at(b, 0) >= 20 && at(b, 0) <= 23 && at(b, 1) == 3 &&
           at(b, 2) <= 4;
}

// A ClientHello or ServerHello that fills its record, or begins it.
bool is_greeting(Bytes b) {
    constexpr unsigned client_hello = 1, server_hello = 2;
    if (!is_record(b) || at(b, 0) != handshake || b.size() < 11)
        return false;
    const unsigned record = load_big<std::uint16_t>(b.data() + 3);
    const unsigned message = at(b, 6) << 16 | load_big<std::uint16_t>(b.data() + 7);
    return (at(b, 5) == client_hello || at(b, 5) == server_hello) && message + 4 <= record && message >= 38 &&
           at(b, 9) == 3 && at(b, 10) <= 4;
}

} // namespace

UnreadSurvey::UnreadSurvey(const std::vector<std::uint16_t> &ports) : ports_(ports.begin(), ports.end()) {
    ports_.insert({860, 3260});
}

// Follows the records of one direction through this segment. Returns false if one did not begin where the
// record before it ended.
bool UnreadSurvey::follow(Chain &chain, const Segment &s) {
    if (!chain.known ||
        static_cast<std::int32_t>(chain.next - s.sequence) < 0) { // none, or segments are missing
        chain.known = is_record(s.payload);
        chain.next = s.sequence;
    }
    while (chain.known && chain.next - s.sequence < s.payload_length) {
        const std::uint32_t offset = chain.next - s.sequence;
        if (offset + record_header > s.payload.size()) { // cut, or its header is in two segments
            chain.known = false;
            return true;
        }
        const Bytes here = s.payload.subspan(offset);
        if (!is_record(here))
            return false;
        ++chain.records;
        chain.next += record_header + load_big<std::uint16_t>(here.data() + 3);
    }
    return true;
}

void UnreadSurvey::look(const Segment &s) {
    const bool forward = s.source < s.destination;
    const Pair pair = forward ? Pair{s.source, s.destination} : Pair{s.destination, s.source};
    auto found = connections_.find(pair);
    if (found == connections_.end()) {
        if (!may_begin(s.payload) || connections_.size() == max_connections)
            return;
        const bool rdma =
            begins_with(s.payload, "MPA ID Req Frame") || begins_with(s.payload, "MPA ID Rep Frame");
        const bool port = ports_.contains(s.source.port) || ports_.contains(s.destination.port);
        if (!rdma && !(port && is_record(s.payload)))
            return;
        found = connections_.emplace(pair, Found{}).first;
        if (rdma)
            found->second.kind = UnreadKind::iwarp;
    }
    Found &f = found->second;
    ++f.packets;
    if (f.kind || s.payload.empty())
        return;
    Chain &chain = f.chains[forward ? 0 : 1];
    if (is_greeting(s.payload))
        f.kind = UnreadKind::tls;
    else if (!follow(chain, s)) // bytes that looked like a record by chance
        connections_.erase(found);
    else if (chain.records >= enough_records)
        f.kind = UnreadKind::tls;
}

std::vector<UnreadTraffic> UnreadSurvey::found(const UnreadCounts &counts) const {
    std::vector<UnreadTraffic> all = {{UnreadKind::roce_v1, counts.roce_v1, {}},
                                      {UnreadKind::roce_v2, counts.roce_v2, {}},
                                      {UnreadKind::iwarp, 0, 0},
                                      {UnreadKind::tls, 0, 0},
                                      {UnreadKind::ipsec, counts.ipsec, {}},
                                      {UnreadKind::macsec, counts.macsec, {}}};
    for (const auto &[pair, f] : connections_) {
        if (!f.kind)
            continue;
        UnreadTraffic &u = all[static_cast<std::size_t>(*f.kind)];
        u.packets += f.packets;
        u.connections = *u.connections + 1;
    }
    std::erase_if(all, [](const UnreadTraffic &u) { return u.packets == 0; });
    return all;
}

} // namespace iscsiscope
