// SPDX-License-Identifier: GPL-2.0-or-later
// IpReassembly: reassembles fragmented IP datagrams (RFC 791, RFC 8200 section 4.5) in bounded memory.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/decode/packet_view.h"
#include "analyzer/capture/segment.h"

#include <list>
#include <map>
#include <optional>
#include <vector>

namespace iscsiscope {

// The fields that fragments of one datagram have in common. For IPv6 the protocol is 0 (not in the key).
struct FragmentKey {
    IpAddress source;
    IpAddress destination;
    std::uint32_t id = 0;
    std::uint8_t protocol = 0;

    friend auto operator<=>(const FragmentKey &, const FragmentKey &) = default;
};

struct Fragment {
    FragmentKey key;
    std::uint32_t offset = 0; // of its first byte in the datagram's payload, bytes
    bool more = false;        // the More Fragments flag
    std::uint8_t protocol = 0;
    PacketView bytes; // its part of the payload
    FrameNumber frame = 0;
    Time time{};
};

class IpReassembly {
public:
    static constexpr std::size_t max_memory = 4U << 20;           // bytes, all incomplete datagrams
    static constexpr Duration max_age = std::chrono::seconds(30); // of capture time

    explicit IpReassembly(AnomalySink &sink) : sink_(sink) {}

    struct Datagram {
        std::uint8_t protocol = 0; // of the first fragment
        PacketView bytes;          // valid until the next call of add()
    };
    // Returns the datagram if this fragment completes one. A datagram with overlapping fragments is
    // discarded as malformed (RFC 5722), unless one is an exact copy of the other. Datagrams older than
    // max_age, and the oldest ones when memory exceeds max_memory, are reported as lost and discarded.
    std::optional<Datagram> add(const Fragment &);

    // Reports every incomplete datagram as lost and discards it.
    void finish();

private:
    struct Piece {
        std::uint32_t begin, end; // range of the datagram's payload, bytes
        std::uint32_t captured;   // bytes of the range that the file holds, from `begin` on
    };
    struct Unfinished {
        FragmentKey key;
        FrameNumber first_frame = 0;
        Time first_time{};
        std::uint8_t protocol = 0;
        std::optional<std::uint32_t> length; // empty: the last fragment has not been seen
        std::vector<Piece> pieces;           // sorted by `begin`, without overlap
        std::uint32_t covered = 0;           // bytes of all pieces
        std::vector<std::byte> bytes;

        std::size_t memory() const;
    };
    using Queue = std::list<Unfinished>; // oldest first
    enum class Fit : std::uint8_t { added, copy, contradiction };

    Queue::iterator find_or_start(const Fragment &);
    static Fit insert(Unfinished &, const Fragment &);
    static std::uint32_t captured_prefix(const Unfinished &);
    Unfinished remove(Queue::iterator);
    void give_up_oldest();

    AnomalySink &sink_;
    Queue queue_;
    std::map<FragmentKey, Queue::iterator> index_;
    std::size_t memory_ = 0;
    std::vector<std::byte> completed_;
};

} // namespace iscsiscope
