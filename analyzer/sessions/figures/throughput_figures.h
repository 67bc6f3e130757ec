// SPDX-License-Identifier: GPL-2.0-or-later
// Throughput by connection over time, and how the connections of a session share the work.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/figures/spread.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

// What a connection moved in one interval: tasks that ended in it, and whether one was outstanding at some
// time in it.
struct ThroughputCell {
    std::uint64_t bytes = 0;
    std::uint32_t tasks = 0;
    bool active = false;
};

// definitions.md, "Throughput by connection". Interval i begins at first + i * length.
struct ThroughputRow {
    std::uint64_t interval = 0;
    std::vector<std::uint64_t> bytes; // by connection, as ThroughputFigures::streams; ended in it
    std::vector<std::uint64_t> tasks; // likewise
    std::vector<std::uint8_t> active; // likewise; 1: a task was outstanding at some time in it
    // Of the active connections' bytes / length, bytes per second. members is N; sum is G.
    Spread rate;
};

// Complete intervals only, also those in which nothing happened. Kept by connection, at 16 bytes an interval
// (many connections over a long capture have a million of them); a row is made when it is asked for.
class ThroughputRows {
public:
    ThroughputRows() = default;
    // columns: by connection, each from interval 0 on as far as it reaches; rows begin at interval `first`.
    ThroughputRows(std::vector<std::vector<ThroughputCell>> columns, std::uint64_t first, std::size_t size,
                   Duration interval)
        : columns_(std::move(columns)), first_(first), size_(size), interval_(interval) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    ThroughputRow operator[](std::size_t) const;

    class Iterator {
    public:
        Iterator(const ThroughputRows &rows, std::size_t at) : rows_(&rows), at_(at) {}
        ThroughputRow operator*() const { return (*rows_)[at_]; }
        Iterator &operator++() {
            ++at_;
            return *this;
        }
        friend bool operator==(const Iterator &, const Iterator &) = default;

    private:
        const ThroughputRows *rows_;
        std::size_t at_;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size_}; }

private:
    std::vector<std::vector<ThroughputCell>> columns_;
    std::uint64_t first_ = 0;
    std::size_t size_ = 0;
    Duration interval_{};
};

struct ThroughputFigures {
    std::uint64_t session = 0; // group's number
    // The session's first command. Sessions without a login share the capture's first command of such a
    // session: when theirs was, nobody saw.
    Time first{};
    Duration interval{}; // T_m
    std::vector<std::uint64_t> streams;
    ThroughputRows rows;
    std::uint64_t intervals_left_out = 0; // beyond the table's bound, at its end
    // Over the whole active life of the session, not only complete intervals.
    std::vector<std::uint64_t> total_bytes, total_tasks; // by connection
    Duration active{};                                   // first command to last end
    Spread total_rate;                                   // total_bytes / active
};

enum class DispatchPolicy : std::uint8_t {
    single,       // one connection: nothing to choose
    round_robin,  // in a fixed turn
    least_loaded, // to one with the fewest commands outstanding, as the initiator knew it
    other,        // neither explains nine of ten choices
    unknown,      // fewer choices than 20; or neither, but captured too far from the initiator (more than a
                  // third of the loop) to know what it knew when it chose
};
std::string_view name(DispatchPolicy);

// How the initiator shared commands out among the connections of one session, and what that cost.
struct DispatchFigures {
    std::uint64_t session = 0;
    std::vector<std::uint64_t> streams;
    DispatchPolicy policy = DispatchPolicy::unknown;
    std::uint64_t choices = 0;           // successive commands, CmdSN n and n + 1, both seen
    double round_robin_share = 0;        // choices as the best fixed turn has them
    std::uint64_t unequal_choices = 0;   // choices made while connections were unequally loaded
    double least_loaded_share = 0;       // of those, to a connection with the fewest outstanding
    std::vector<std::uint64_t> commands; // by connection
};

// ExpCmdSN hold: a command had reached the target while one with a lower CmdSN, of another connection, had
// not, so that the target could not begin it (RFC 7143 section 4.2.2.1). A command counts as having reached
// the target half of rtt_to_target after it passed the tap, and the order is that in which the commands pass:
// what delays a command behind the tap is not seen. (ExpCmdSN itself tells too little: it is stamped on an
// answer before that waits in the target's send buffer and on its way.)
struct HoldFigures {
    std::uint64_t session = 0;
    struct Member {
        std::uint64_t stream = 0;
        std::uint64_t holds = 0;         // that its commands caused
        Duration held{};                 // their sum
        std::uint64_t commands_held = 0; // of other connections, waiting at the end of the hold
        Duration longest{};
        FrameNumber longest_frame = 0; // of the command that was missing
        std::uint64_t commands = 0;    // of this connection
        Histogram lengths;
    };
    std::vector<Member> members; // by connection
    Duration held{};             // holds never overlap: the sum over members
    // Captured at or near the target: all holds are here. Else only those that arose before the tap.
    bool whole = false;
    // Hold time over the session's active life, 0..1.
    double share = 0;
};

} // namespace iscsiscope
