// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/decode/ip_reassembly.h"

#include <algorithm>

namespace iscsiscope {

namespace {
constexpr std::uint32_t max_datagram = 65535; // bytes: the limit of IPv4, and of IPv6 but for jumbograms
} // namespace

std::size_t IpReassembly::Unfinished::memory() const {
    constexpr std::size_t map_node = 128; // approximate size of an index entry
    return sizeof(Unfinished) + map_node + pieces.capacity() * sizeof(Piece) + bytes.capacity();
}

std::optional<IpReassembly::Datagram> IpReassembly::add(const Fragment &fragment) {
    while (!queue_.empty() && fragment.time - queue_.front().first_time > max_age)
        give_up_oldest();
    const auto position = find_or_start(fragment);
    memory_ -= position->memory();
    const Fit fit = insert(*position, fragment);
    memory_ += position->memory();
    if (fit == Fit::contradiction) {
        sink_.on_anomaly(
            {.kind = AnomalyKind::malformed_frame, .frame = fragment.frame, .stream = {}, .detail = 0});
        (void)remove(position);
        return std::nullopt;
    }
    if (position->length && position->covered == *position->length) {
        Unfinished whole = remove(position);
        completed_ = std::move(whole.bytes);
        return Datagram{whole.protocol, {completed_.data(), captured_prefix(whole), *whole.length}};
    }
    while (memory_ > max_memory)
        give_up_oldest();
    return std::nullopt;
}

void IpReassembly::finish() {
    while (!queue_.empty())
        give_up_oldest();
}

IpReassembly::Queue::iterator IpReassembly::find_or_start(const Fragment &fragment) {
    const auto found = index_.find(fragment.key);
    if (found != index_.end())
        return found->second;
    Unfinished fresh;
    fresh.key = fragment.key;
    fresh.first_frame = fragment.frame;
    fresh.first_time = fragment.time;
    const auto position = queue_.insert(queue_.end(), std::move(fresh));
    index_.emplace(fragment.key, position);
    memory_ += position->memory();
    return position;
}

IpReassembly::Fit IpReassembly::insert(Unfinished &datagram, const Fragment &fragment) {
    const std::uint32_t length = fragment.bytes.wire;
    // Only the last fragment may have a length that is not a multiple of 8 (RFC 791 section 3.2).
    if (length == 0 || (fragment.more && length % 8 != 0) || fragment.offset > max_datagram ||
        length > max_datagram - fragment.offset)
        return Fit::contradiction;
    const std::uint32_t begin = fragment.offset;
    const std::uint32_t end = begin + length;
    auto &pieces = datagram.pieces;
    const std::uint32_t last_end = pieces.empty() ? 0 : pieces.back().end;
    if (!fragment.more) {
        if ((datagram.length && *datagram.length != end) || last_end > end)
            return Fit::contradiction;
        datagram.length = end;
    } else if (datagram.length && end > *datagram.length) {
        return Fit::contradiction;
    }
    const auto next = std::lower_bound(pieces.begin(), pieces.end(), begin,
                                       [](const Piece &piece, std::uint32_t at) { return piece.begin < at; });
    if (next != pieces.end() && next->begin == begin && next->end == end)
        return Fit::copy;
    if ((next != pieces.end() && next->begin < end) ||
        (next != pieces.begin() && std::prev(next)->end > begin))
        return Fit::contradiction;
    if (begin == 0)
        datagram.protocol = fragment.protocol;
    const std::uint32_t captured = fragment.bytes.captured;
    pieces.insert(next, {begin, end, captured});
    datagram.covered += length;
    if (datagram.bytes.size() < begin + captured)
        datagram.bytes.resize(begin + captured);
    std::copy_n(fragment.bytes.data, captured, datagram.bytes.begin() + begin);
    return Fit::added;
}

// Returns the length of the datagram's prefix that the file holds, up to the first byte that was cut off.
std::uint32_t IpReassembly::captured_prefix(const Unfinished &datagram) {
    std::uint32_t captured = 0;
    for (const Piece &piece : datagram.pieces) {
        captured = piece.begin + piece.captured;
        if (captured != piece.end)
            break;
    }
    return captured;
}

IpReassembly::Unfinished IpReassembly::remove(Queue::iterator position) {
    memory_ -= position->memory();
    index_.erase(position->key);
    Unfinished removed = std::move(*position);
    queue_.erase(position);
    return removed;
}

void IpReassembly::give_up_oldest() {
    sink_.on_anomaly(
        {.kind = AnomalyKind::fragment_lost, .frame = queue_.front().first_frame, .stream = {}, .detail = 0});
    (void)remove(queue_.begin());
}

} // namespace iscsiscope
