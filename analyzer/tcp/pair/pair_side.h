// SPDX-License-Identifier: GPL-2.0-or-later
// The state of PairSide: the segments of one capture of a pair, by connection.
#pragma once

#include "analyzer/tcp/pair/capture_pair.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace iscsiscope {

struct PairSegment {
    Time time{};
    FrameNumber frame = 0;
    std::uint64_t fingerprint = 0; // hash of the fields that are equal in both captures
    std::uint64_t offset = 0;
    std::uint32_t sequence = 0, length = 0;
};

struct PairStream {
    std::uint64_t stream = 0;
    Endpoint opener, acceptor;
    std::array<bool, 2> syn_seen{};
    std::array<std::uint32_t, 2> initial_sequence{};
    std::array<std::vector<PairSegment>, 2> sent; // by Side, in order of frames
};

struct PairSide::State {
    std::vector<PairStream> streams; // in the order of their first segments
    std::unordered_map<std::uint64_t, std::size_t> by_number;
    Time first{}, last{};
    bool any = false;
};

} // namespace iscsiscope
