// SPDX-License-Identifier: GPL-2.0-or-later
// UnreadSurvey: storage traffic that a capture holds and that cannot be read, so that a report can name it.
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/capture/decode/frame_decoder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace iscsiscope {

#define ISCSISCOPE_UNREAD_KINDS(X) X(roce_v1) X(roce_v2) X(iwarp) X(tls) X(ipsec) X(macsec)
ISCSISCOPE_ENUM(UnreadKind, unread_kind_names, unread_kind_count, ISCSISCOPE_UNREAD_KINDS)

// What a capture holds of one kind.
struct UnreadTraffic {
    UnreadKind kind{};
    std::uint64_t packets = 0;
    std::optional<std::uint64_t> connections; // TCP connections; empty for what is not TCP
};

// Finds TLS on ports of iSCSI, by a client's greeting or by records that follow each other, and RDMA over TCP
// (iWARP) on any port, by the request or reply that begins it (RFC 5044 section 7.1). Packets of a connection
// are counted from there on. Follows at most `max_connections`.
class UnreadSurvey {
public:
    static constexpr std::size_t max_connections = 4096;

    // ports: of iSCSI, besides 3260 and 860.
    explicit UnreadSurvey(const std::vector<std::uint16_t> &ports);

    // Runs for every segment: what begins like neither, while nothing has been found, costs two comparisons.
    void add(const Segment &s) {
        if (!connections_.empty() || may_begin(s.payload))
            look(s);
    }
    // All kinds that were seen, in their order.
    std::vector<UnreadTraffic> found(const UnreadCounts &) const;

private:
    struct Pair {
        Endpoint low, high;
        friend auto operator<=>(const Pair &, const Pair &) = default;
    };
    // Where the next record of TLS has to begin, in one direction.
    struct Chain {
        bool known = false;
        std::uint32_t next = 0;    // sequence number
        std::uint64_t records = 0; // that began where they had to
    };
    struct Found {
        std::optional<UnreadKind> kind;
        std::uint64_t packets = 0;
        Chain chains[2]; // of the lower endpoint, of the higher
    };

    static bool may_begin(std::span<const std::byte> payload) {
        if (payload.size() < 3)
            return false;
        const auto first = static_cast<std::uint8_t>(payload[0]),
                   second = static_cast<std::uint8_t>(payload[1]);
        return (first >= 0x14 && first <= 0x17 && second == 3) || (first == 'M' && second == 'P');
    }
    void look(const Segment &);
    static bool follow(Chain &, const Segment &);

    std::set<std::uint16_t> ports_;
    std::map<Pair, Found> connections_;
};

} // namespace iscsiscope
