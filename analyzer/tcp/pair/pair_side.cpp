// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/pair_side.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

std::uint64_t mixed(std::uint64_t h, std::uint64_t v) {
    h = (h ^ v) * 0xff51afd7ed558ccdULL;
    return h ^ (h >> 32);
}

// Hashes the fields that are equal in both captures. TSval, or without timestamps the IP identification,
// separates a repeat from its original. For segments without payload both are hashed, and the
// acknowledgment, because pure ACKs may agree in all else.
std::uint64_t fingerprint_of(const Segment &s) {
    std::uint64_t h = mixed(0x9e3779b97f4a7c15ULL, std::uint64_t{s.sequence} << 32 | s.payload_length);
    h = mixed(h, s.flags & (tcp_syn | tcp_fin | tcp_rst));
    const bool stamped = s.options.has_timestamps;
    h = mixed(h, stamped ? s.options.timestamp_value : 0x1'0000'0000ULL);
    if (s.payload_length == 0)
        h = mixed(h, s.acknowledgment);
    return mixed(h, !stamped || s.payload_length == 0 ? s.ip_id : 0U);
}

// A 32-bit hash that is not 0.
std::uint32_t shortened(std::uint64_t h) {
    return std::max(static_cast<std::uint32_t>(h >> 32 ^ h), std::uint32_t{1});
}

std::uint32_t numbers_of(const Segment &s) {
    const std::uint64_t h = mixed(s.payload_length, s.sequence);
    return shortened(s.payload_length == 0 ? mixed(h, s.acknowledgment) : h);
}

std::uint32_t identity_of(const Segment &s) {
    if (s.ip_id == 0 && !s.options.has_timestamps)
        return 0;
    const std::uint64_t stamp = s.options.has_timestamps ? s.options.timestamp_value : 0x1'0000'0000ULL;
    return shortened(mixed(mixed(s.payload_length, stamp), s.ip_id));
}

} // namespace

PairSide::PairSide() : state_(std::make_unique<State>()) {}
PairSide::~PairSide() = default;
PairSide::PairSide(PairSide &&) noexcept = default;
PairSide &PairSide::operator=(PairSide &&) noexcept = default;

void PairSide::on_segment(const SegmentRecord &r) {
    const Segment &s = r.segment;
    State &state = *state_;
    if (!state.any)
        state.first = s.time;
    state.any = true;
    state.last = std::max(state.last, s.time);
    const auto [found, is_new] = state.by_number.try_emplace(r.stream, state.streams.size());
    if (is_new) {
        PairStream stream;
        stream.stream = r.stream;
        stream.opener = r.endpoints[0];
        stream.acceptor = r.endpoints[1];
        state.streams.push_back(std::move(stream));
    }
    PairStream &stream = state.streams[found->second];
    if ((s.flags & tcp_syn) != 0 && !stream.syn_seen[index(r.sender)]) {
        stream.syn_seen[index(r.sender)] = true;
        stream.initial_sequence[index(r.sender)] = s.sequence;
    }
    PairSegments &sent = stream.sent[index(r.sender)];
    sent.all.push_back({.time = s.time,
                        .frame = s.frame,
                        .fingerprint = fingerprint_of(s),
                        .offset = r.offset,
                        .first_block = sent.blocks.size(),
                        .numbers = numbers_of(s),
                        .identity = identity_of(s),
                        .length = s.payload_length,
                        .captured = static_cast<std::uint32_t>(s.payload.size()),
                        .checksum = tcp_checksum(s)});
    append_blocks(s.payload, sent.blocks);
}

} // namespace iscsiscope
