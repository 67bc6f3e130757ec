// SPDX-License-Identifier: GPL-2.0-or-later
// HeldSegments: puts acknowledgments after the data that they acknowledge where two files were stamped a
// little differently, as those of two capture points in one host are. Without that an answer would come
// before its question, and its question look like a segment that was sent again.
//
// In: the segments of a merged capture in the order of their times. Out: the same segments, each once, with
// their frame numbers. An acknowledgment of data that has not come yet, and may come in another file, waits
// for it, but no longer than it may, and after it what its sender sent later on the connection. If the data
// comes, they get its time and 1 ns, since they were sent later; else they keep their own. The rest keeps its
// order. Memory is bounded: when too much waits, the oldest waits no longer.
#pragma once

#include "analyzer/capture/segment.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace iscsiscope {

// What was given out of a direction's data. The owner keeps one for each direction of each connection.
class DataSoFar {
public:
    void add(const Segment &);
    // True if the segment, of the other direction, acknowledges bytes that were not given out.
    bool is_missed_by(const Segment &) const;
    // What it acknowledges is missing from the capture: nothing waits for it any more.
    void give_up(const Segment &);

    std::uint32_t held = 0; // segments of this direction that wait

private:
    struct Range {
        std::uint32_t begin = 0, end = 0;
    };
    void absorb();

    bool begun_ = false;
    std::uint32_t next_ = 0,
                  top_ = 0;         // with begun_: all bytes before next_ were given out, none from top_ on
    std::array<Range, 8> behind_{}; // given out behind a hole; what does not fit counts as missing
    std::size_t behind_count_ = 0;
};

class HeldSegments {
public:
    static constexpr std::size_t max_segments = 4096;
    static constexpr std::size_t max_bytes = std::size_t{16} << 20;

    using Out = std::function<void(const Segment &)>;

    // own, other: of the segment's connection, those of its sender and of its receiver; both must stay where
    // they are until the segment is given out. wait: for data that comes in another file, at most; zero: it
    // cannot come.
    void add(const Segment &, DataSoFar &own, DataSoFar &other, Duration wait, const Out &);
    // Gives out what still waits.
    void finish(const Out &);

private:
    struct Held {
        Segment segment;              // its spans point into bytes
        std::vector<std::byte> bytes; // header and payload
        DataSoFar *own, *other;
        Duration wait;
    };
    void hold(const Segment &, DataSoFar &own, DataSoFar &other, Duration wait);
    void give(const Segment &, DataSoFar &own, const Out &);
    // Gives out those whose data has come, or that have waited too long by this time.
    void release(Time now, const Out &);

    std::deque<Held> held_; // in the order in which they came
    std::size_t bytes_ = 0;
};

} // namespace iscsiscope
