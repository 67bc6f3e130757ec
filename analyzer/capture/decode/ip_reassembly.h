// SPDX-License-Identifier: GPL-2.0-or-later
// Fragmented IP datagrams (RFC 791, RFC 8200 section 4.5), put together in bounded memory.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/decode/packet_view.h"
#include "analyzer/capture/segment.h"

#include <list>
#include <map>
#include <optional>
#include <vector>

namespace iscsiscope {

// Datagrams are told apart by this. IPv6 has no protocol in its key: 0.
struct FragmentKey {
    IpAddress source;
    IpAddress destination;
    std::uint32_t id = 0;
    std::uint8_t protocol = 0;

    friend auto operator<=>(const FragmentKey &, const FragmentKey &) = default;
};

struct Fragment {
    FragmentKey key;
    std::uint32_t offset = 0; // bytes
    bool more = false;        // not the last one
    std::uint8_t protocol = 0;
    PacketView bytes;
    FrameNumber frame = 0;
    Time time{};
};

class IpReassembly {
public:
    static constexpr std::size_t max_memory = 4U << 20;
    static constexpr Duration max_age = std::chrono::seconds(30);

    explicit IpReassembly(AnomalySink &sink) : sink_(sink) {}

    struct Datagram {
        std::uint8_t protocol = 0; // of the first fragment
        PacketView bytes;          // valid until the next call of add()
    };
    // The datagram, if this fragment completes one. A fragment that overlaps others otherwise than
    // as a copy ends its datagram as malformed (RFC 5722). The oldest datagrams are given up when
    // they are too old or memory is short.
    std::optional<Datagram> add(const Fragment &);

    // Reports every datagram that is not complete, and forgets it.
    void finish();

private:
    struct Piece {
        std::uint32_t begin, end; // bytes of the datagram that passed
        std::uint32_t captured;   // of these, from `begin` on, in the file
    };
    struct Unfinished {
        FragmentKey key;
        FrameNumber first_frame = 0;
        Time first_time{};
        std::uint8_t protocol = 0;
        std::optional<std::uint32_t> length;
        std::vector<Piece> pieces; // by `begin`, without overlap
        std::uint32_t covered = 0; // bytes of all pieces
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
