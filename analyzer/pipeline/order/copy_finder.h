// SPDX-License-Identifier: GPL-2.0-or-later
// CopyFinder: finds second copies of segments, which a mirror port makes that sees a packet twice: on its way
// in and out, before and behind a router, or before and behind address translation.
//
// In: the segments of a capture in order of time. Out: what each is. One within 64 segments and 5 ms behind
// another is its copy if numbers, window, flags, timestamps and length are the same, and
//   - with the same addresses and ports: its time to live or hardware address differs, as only a way through
//     another device makes it, with the same IP identification; or all is the same, with an IP identification
//     that is not zero and that no other segment of its sender has. A segment that is sent again has a new
//     one;
//   - with another address of one end: its timestamps are the same, or its IP identification. Then what has
//     these addresses is a copy of the other connection from there on, until a SYN begins it anew.
#pragma once

#include "analyzer/capture/segment.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

namespace iscsiscope {

enum class CopyKind : std::uint8_t {
    none,
    same_connection,
    translated, // of another connection, with other addresses
};

class CopyFinder {
public:
    static constexpr std::size_t kept = 64;
    static constexpr Duration longest = std::chrono::milliseconds(5);

    CopyFinder() { latest_.fill(none); }

    CopyKind find(const Segment &);

private:
    static constexpr std::uint8_t none = 0xff;
    static constexpr std::size_t buckets = 256, max_translated = 4096;

    // The lower endpoint first.
    using Pair = std::pair<Endpoint, Endpoint>;

    CopyKind compare(const Segment &, const Segment &before) const;
    // No other segment of its sender has its IP identification.
    bool is_identified(const Segment &) const;
    void keep(const Segment &, std::size_t bucket, CopyKind);

    std::array<Segment, kept> seen_; // a ring, with the oldest at next_; their bytes are not looked at
    std::array<std::uint8_t, kept> bucket_{}, older_{}; // of each; the one before it in its bucket
    std::array<CopyKind, kept> kind_{};                 // of each
    std::array<std::uint8_t, buckets> latest_{};
    std::size_t next_ = 0, count_ = 0;
    std::set<Pair> translated_;
};

} // namespace iscsiscope
