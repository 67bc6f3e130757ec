// SPDX-License-Identifier: GPL-2.0-or-later
// MergedConnections: from which of several merged files each segment is taken, and what their clocks show.
//
// In: each TCP segment of the merged capture with the index of its file. Out: whether it is to be analysed,
// and at the end the clocks and copies of MergeSummary.
//
// A connection belongs to the file of its first segment. If another file is found to hold copies of its
// packets, the connection is taken from its own file alone as long as that one has frames, each direction
// that the file holds: times of two places, or of two clocks, are never mixed in a direction. Directions that
// its own file does not hold, and packets of which no file holds a copy (one file for each direction, for
// each path, for each queue of an adapter), are taken from all files. A copy is known by addresses, ports,
// TCP numbers, window and flags together with the IP identification and the timestamps of TCP.
//
// A clock is behind another if an acknowledgment comes before the data in another file that it acknowledges.
//
// Memory is bounded: connections (the one that is longest without a segment is forgotten first, with others),
// and packets whose copies are recognised.
#pragma once

#include "analyzer/capture/segment.h"
#include "analyzer/pipeline/merge/held_segments.h"
#include "analyzer/pipeline/merge/merge_summary.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iscsiscope {

class MergedConnections {
public:
    // Two clocks are taken for one if they are closer than this: stamps made by software are no better.
    static constexpr Duration tolerance = std::chrono::microseconds(100);

    // So long an acknowledgment waits for its data once its file is known to be behind; before, `tolerance`.
    static constexpr Duration longest_wait = std::chrono::milliseconds(1);

    // files: how many, at most 64.
    explicit MergedConnections(std::size_t files);
    ~MergedConnections();

    // The file holds both directions of its connections, as far as is known beforehand.
    void has_both_directions(std::size_t file);
    // The file has no further frame.
    void ended(std::size_t file) { files_[file].ended = true; }
    // Segments come in the order of the merged frames. Those given out are valid during the call only.
    void add(const Segment &, std::size_t file, const HeldSegments::Out &);
    // Gives out what still waits.
    void finish(const HeldSegments::Out &out) { held_.finish(out); }
    // Adds the counts of segments, the clocks, and the files that hold the same packets.
    void sum_up(MergeSummary &);

private:
    struct Key {
        Endpoint low, high;
        bool operator==(const Key &) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key &) const;
    };
    struct Packet; // one whose copy may come
    struct Direction;
    struct Connection;
    struct Violations; // acknowledgments of one file that came before their data in another one
    struct FileState {
        bool both_directions = false, ended = false;
        bool behind = false; // acknowledgments in it come before their data in another file
        std::uint64_t segments = 0, copies = 0, left_out = 0;
    };
    using Table = std::unordered_map<Key, Connection, KeyHash>;

    Connection &connection(const Key &, std::size_t file, const HeldSegments::Out &);
    bool take(Connection &, std::size_t direction, const Segment &, std::size_t file);
    static SamePackets same_packets(const Connection &);
    static bool may_take_over(const Connection &, std::size_t file);
    bool belongs_elsewhere(Connection &, std::size_t direction, std::size_t file);
    void compare_times(Connection &, std::size_t direction, const Packet &first, const Segment &,
                       std::size_t file);
    void compare_clocks(Connection &, std::size_t direction, const Segment &, std::size_t file);
    void sum_up(const Connection &);

    HeldSegments held_; // they point into the connections
    std::vector<FileState> files_;
    std::vector<Packet> packets_; // by fingerprint; a new one takes the place of an old one
    Table recent_, earlier_;      // connections; when `recent_` is full it becomes `earlier_`
    std::map<std::pair<std::size_t, std::size_t>, Violations>
        violations_; // file of the ACK, file of the data
    std::map<std::pair<std::size_t, std::size_t>, SamePackets> same_;
};

} // namespace iscsiscope
