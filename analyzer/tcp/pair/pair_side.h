// SPDX-License-Identifier: GPL-2.0-or-later
// The state of PairSide: the segments of one capture of a pair, by connection.
#pragma once

#include "analyzer/capture/tcp_checksum.h"
#include "analyzer/tcp/pair/capture_pair.h"
#include "analyzer/tcp/pair/payload_blocks.h"

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
    std::uint64_t first_block = 0; // of its payload in PairSegments::blocks
    // Hashes of fields that together identify a segment in which damage altered another field: the sequence
    // number, and TSval and IP identification. 0: the segment has none of these fields.
    std::uint32_t numbers = 0, identity = 0;
    std::uint32_t length = 0, captured = 0; // payload bytes, and how many of them the file holds
    TcpChecksum checksum{};
};

// The segments of one sender, in order of frames.
struct PairSegments {
    std::vector<PairSegment> all;
    std::vector<std::uint32_t> blocks; // CRCs of their payloads (payload_blocks.h)

    PayloadSums payload(const PairSegment &s) const {
        return {std::span(blocks).subspan(s.first_block, block_count(s.captured)), s.captured};
    }
};

struct PairStream {
    StreamId stream;
    Endpoint opener, acceptor;
    std::array<bool, 2> syn_seen{};
    std::array<std::uint32_t, 2> initial_sequence{};
    std::array<PairSegments, 2> sent; // by Side
};

struct PairSide::State {
    std::vector<PairStream> streams; // in the order of their first segments
    std::unordered_map<StreamId, std::size_t> by_number;
    Time first{}, last{};
    bool any = false;
};

} // namespace iscsiscope
