// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/merge/merged_connections.h"

#include "analyzer/base/saturating.h"
#include "analyzer/tcp/stream/connection_table.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

constexpr std::size_t packets_kept = std::size_t{1} << 18; // a power of two
constexpr std::size_t connections_kept = 8192;             // twice, at most
constexpr std::size_t acks_kept = 16;                      // of a direction, that wait for their data
constexpr std::size_t proofs = 8; // so many acknowledgments may be early for another reason than a clock
constexpr std::uint64_t fewest_proofs = 3;
// Segments of a direction after which the connection's own file is known not to hold it.
constexpr std::uint32_t patience = 64;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t m = (a ^ (b * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
    return m ^ (m >> 32);
}

std::uint64_t hash_of(const Endpoint &e) {
    std::uint64_t a = 0, b = 0;
    std::memcpy(&a, e.address.bytes.data(), sizeof a);
    std::memcpy(&b, e.address.bytes.data() + sizeof a, sizeof b);
    return mix(mix(a, b), e.port);
}

// False: another packet of the connection may have the same fingerprint, as equal pure ACKs have.
bool has_identity(const Segment &s) {
    return (s.has_ip_id && s.ip_id != 0) || s.options.has_timestamps || s.payload_length != 0 ||
           (s.flags & tcp_syn) != 0;
}

// Returns a hash of what is the same in all copies of a packet.
std::uint64_t fingerprint_of(const Segment &s) {
    std::uint64_t h = mix(hash_of(s.source), hash_of(s.destination));
    h = mix(h, (std::uint64_t{s.sequence} << 32) | s.acknowledgment);
    h = mix(h, (std::uint64_t{s.payload_length} << 24) | (std::uint64_t{s.window} << 8) | s.flags);
    if (s.has_ip_id)
        h = mix(h, s.ip_id);
    if (s.options.has_timestamps)
        h = mix(h, (std::uint64_t{s.options.timestamp_value} << 32) | s.options.timestamp_echo);
    return h;
}

std::int32_t distance(std::uint32_t from, std::uint32_t to) {
    return static_cast<std::int32_t>(to - from);
}

std::uint64_t bit(std::size_t file) {
    return std::uint64_t{1} << file;
}

} // namespace

struct MergedConnections::Packet {
    std::uint64_t fingerprint = 0;
    Time time{};
    std::uint32_t file = 0;
    bool taken = false, used = false;
};

struct MergedConnections::Direction {
    struct EarlyAck {
        std::uint32_t number = 0, file = 0;
        Time time{};
        FrameNumber frame = 0;
    };

    std::uint64_t files = 0;     // that hold segments of it, as bits
    std::uint32_t elsewhere = 0; // segments that were left out before the connection's own file held one
    bool sent = false;           // end is known
    std::uint32_t end = 0;       // behind the last byte seen
    std::array<EarlyAck, acks_kept> early{}; // for bytes of this direction that were not seen yet
    std::size_t early_count = 0;
    std::uint64_t copies = 0; // and how much later they stand in the greater file of Connection::compared
    Duration min_later{}, max_later{};
    DataSoFar data; // that was given out
};

struct MergedConnections::Connection {
    std::size_t own = 0;        // its file
    std::uint64_t same = 0;     // files that hold copies of its packets, as bits
    std::uint32_t initial[2]{}; // sequence number of the SYN of either direction
    bool opened[2]{};           // the SYN was seen
    std::optional<std::pair<std::size_t, std::size_t>> compared; // the first two files with a copy
    std::array<Direction, 2> directions{};
};

struct MergedConnections::Violations {
    std::uint64_t seen = 0;
    FrameNumber first_frame = 0;
    std::vector<Duration> longest; // at most `proofs`, in falling order
};

MergedConnections::MergedConnections(std::size_t files) : files_(files), packets_(packets_kept) {}
MergedConnections::~MergedConnections() = default;

std::size_t MergedConnections::KeyHash::operator()(const Key &k) const {
    return hash_of_pair(k.low, k.high);
}

void MergedConnections::has_both_directions(std::size_t file) {
    files_[file].both_directions = true;
}

MergedConnections::Connection &MergedConnections::connection(const Key &key, std::size_t file,
                                                             const HeldSegments::Out &out) {
    if (const auto at = recent_.find(key); at != recent_.end())
        return at->second;
    if (recent_.size() >= connections_kept) {
        held_.finish(out);
        for (const auto &[k, c] : earlier_)
            sum_up(c);
        earlier_ = std::move(recent_);
        recent_.clear();
    }
    if (auto node = earlier_.extract(key); !node.empty()) // it stays where it is in memory
        return recent_.insert(std::move(node)).position->second;
    Connection &c = recent_[key];
    c.own = file;
    return c;
}

// What the copies of the connection's packets show; without any, there are none.
SamePackets MergedConnections::same_packets(const Connection &c) {
    SamePackets s;
    if (!c.compared)
        return s;
    const Direction *low = &c.directions[0], *high = &c.directions[1];
    s = {c.compared->first, c.compared->second, low->copies + high->copies, {}, {}};
    if (low->copies == 0 || high->copies == 0) {
        s.later = low->copies != 0 ? low->min_later : high->min_later;
        return s;
    }
    // One direction passes the first file's place before the other's: its packets are later there by the way
    // and the clocks' difference, those of the other direction by the difference less the way.
    if (low->min_later > high->min_later)
        std::swap(low, high);
    s.apart = std::max(Duration{}, (high->min_later - low->max_later) / 2);
    s.later = low->max_later / 2 + high->min_later / 2;
    return s;
}

// The connection's own file has ended. True if this one was captured at the same place with the same clock,
// or holds other packets.
bool MergedConnections::may_take_over(const Connection &c, std::size_t file) {
    if ((c.same & bit(c.own)) == 0 || (c.same & bit(file)) == 0)
        return true;
    const SamePackets s = same_packets(c);
    return s.file == std::min(c.own, file) && s.other == std::max(c.own, file) &&
           s.apart.value_or(Duration{}) < tolerance && std::chrono::abs(s.later) < tolerance;
}

// True if the connection is taken from another file.
bool MergedConnections::belongs_elsewhere(Connection &c, std::size_t direction, std::size_t file) {
    if (files_[c.own].ended && c.own != file && may_take_over(c, file))
        c.own = file;
    if (c.own == file || (c.same & bit(c.own)) == 0 || (c.same & bit(file)) == 0)
        return false;
    Direction &d = c.directions[direction];
    // A direction that the own file has not held so far comes there too, if it is taken where both pass.
    return (d.files & bit(c.own)) != 0 || (files_[c.own].both_directions && d.elsewhere++ < patience);
}

void MergedConnections::add(const Segment &s, std::size_t file, const HeldSegments::Out &out) {
    const std::size_t direction = s.source < s.destination ? 0 : 1;
    const Key key = direction == 0 ? Key{s.source, s.destination} : Key{s.destination, s.source};
    Connection &c = connection(key, file, out);
    if ((s.flags & tcp_syn) != 0) {
        const bool first = (s.flags & tcp_ack) == 0;
        if (first && c.opened[direction] && c.initial[direction] != s.sequence) { // ports are used again
            held_.finish(out);
            sum_up(c);
            c = Connection{};
            c.own = file;
        }
        c.opened[direction] = true;
        c.initial[direction] = s.sequence;
    }
    if (!take(c, direction, s, file))
        return;
    Direction &own = c.directions[direction], &other = c.directions[1 - direction];
    const bool elsewhere = other.files != 0 ? (other.files & ~bit(file)) != 0 : files_.size() > 1;
    const Duration wait = files_[file].behind ? longest_wait : tolerance;
    held_.add(s, own.data, other.data, elsewhere ? wait : Duration{}, out);
}

// Returns true if the segment is to be analysed.
bool MergedConnections::take(Connection &c, std::size_t direction, const Segment &s, std::size_t file) {
    FileState &mine = files_[file];
    ++mine.segments;
    const std::uint64_t fingerprint = fingerprint_of(s);
    Packet &known = packets_[fingerprint & (packets_kept - 1)];
    bool copy = known.used && known.fingerprint == fingerprint && known.file != file;
    if (copy && has_identity(s)) {
        c.same |= bit(known.file) | bit(file);
        compare_times(c, direction, known, s, file);
    } else if (copy) {
        copy = (c.same & bit(known.file)) != 0 && (c.same & bit(file)) != 0;
    }
    mine.copies += copy ? 1 : 0;
    bool taken = !belongs_elsewhere(c, direction, file);
    Direction &d = c.directions[direction];
    d.files |= bit(file);
    mine.both_directions = mine.both_directions || (c.directions[1 - direction].files & bit(file)) != 0;
    if (copy && known.taken)
        taken = false;
    else if (copy)
        known.taken = taken;
    else
        known = {fingerprint, s.time, static_cast<std::uint32_t>(file), taken, true};
    if (taken)
        compare_clocks(c, direction, s, file);
    else
        ++mine.left_out;
    return taken;
}

void MergedConnections::compare_times(Connection &c, std::size_t direction, const Packet &first,
                                      const Segment &s, std::size_t file) {
    const std::pair<std::size_t, std::size_t> files = std::minmax<std::size_t>(first.file, file);
    if (!c.compared)
        c.compared = files;
    if (*c.compared != files)
        return;
    const Duration passed = saturated_length(first.time, s.time);
    const Duration later = files.second == file ? passed : -passed;
    Direction &d = c.directions[direction];
    d.min_later = d.copies == 0 ? later : std::min(d.min_later, later);
    d.max_later = d.copies == 0 ? later : std::max(d.max_later, later);
    ++d.copies;
}

void MergedConnections::compare_clocks(Connection &c, std::size_t direction, const Segment &s,
                                       std::size_t file) {
    Direction &mine = c.directions[direction], &other = c.directions[1 - direction];
    const std::uint32_t length =
        s.payload_length + ((s.flags & tcp_syn) != 0 ? 1 : 0) + ((s.flags & tcp_fin) != 0 ? 1 : 0);
    const std::uint32_t end = s.sequence + length;
    if (length != 0) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < mine.early_count; ++i) {
            const Direction::EarlyAck a = mine.early[i];
            if (distance(end, a.number) > 0) { // of bytes that are yet to come
                mine.early[kept++] = a;
                continue;
            }
            const Duration by = saturated_length(a.time, s.time);
            if (a.file == file || distance(s.sequence, a.number) <= 0 || by <= Duration{})
                continue; // the capture lacks the data, or its own order is wrong
            Violations &v = violations_[{a.file, file}];
            if (v.seen++ == 0)
                v.first_frame = a.frame;
            v.longest.insert(std::upper_bound(v.longest.begin(), v.longest.end(), by, std::greater<>{}), by);
            if (v.longest.size() > proofs)
                v.longest.pop_back();
            if (v.seen >= fewest_proofs && v.longest[fewest_proofs - 1] >= tolerance)
                files_[a.file].behind = true;
        }
        mine.early_count = kept;
        if (!mine.sent || distance(mine.end, end) > 0)
            mine.end = end;
        mine.sent = true;
    }
    if ((s.flags & tcp_ack) != 0 && other.early_count < acks_kept &&
        (!other.sent || distance(other.end, s.acknowledgment) > 0)) {
        const bool newest = other.early_count == 0 ||
                            distance(other.early[other.early_count - 1].number, s.acknowledgment) > 0;
        if (newest)
            other.early[other.early_count++] = {s.acknowledgment, static_cast<std::uint32_t>(file), s.time,
                                                s.frame};
    }
}

void MergedConnections::sum_up(const Connection &c) {
    if (!c.compared)
        return;
    const SamePackets found = same_packets(c);
    SamePackets &known = same_[*c.compared];
    if (found.copies > known.copies)
        known = found;
}

void MergedConnections::sum_up(MergeSummary &summary) {
    for (const Table *table : {&earlier_, &recent_})
        for (const auto &[k, c] : *table)
            sum_up(c);
    for (std::size_t i = 0; i < std::min(files_.size(), summary.files.size()); ++i) {
        summary.files[i].segments = files_[i].segments;
        summary.files[i].copies = files_[i].copies;
        summary.files[i].left_out = files_[i].left_out;
    }
    for (const auto &[files, v] : violations_) {
        const Duration least = v.longest[std::min<std::size_t>(v.longest.size() - 1, v.seen / 2)];
        if (v.seen >= fewest_proofs && least >= tolerance)
            summary.clocks.push_back({files.first, files.second, least, v.seen, v.first_frame});
    }
    for (const auto &[files, s] : same_)
        summary.same.push_back(s);
}

} // namespace iscsiscope
