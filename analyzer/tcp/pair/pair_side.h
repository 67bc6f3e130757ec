// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept of one capture of a pair.
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
    std::uint64_t print = 0; // the same at both captures: numbers, and TSval or IP ID
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
    std::vector<PairStream> streams; // in order of their first segment
    std::unordered_map<std::uint64_t, std::size_t> by_number;
    Time first{}, last{};
    bool any = false;
};

} // namespace iscsiscope
