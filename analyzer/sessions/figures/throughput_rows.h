// SPDX-License-Identifier: GPL-2.0-or-later
// The throughput of connections by interval (docs/figures.md, "Sessions"), in memory that grows with the
// intervals in which something happened, not with the time between them.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/sessions/figures/spread.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace iscsiscope {

// One connection in one interval: bytes of its stream that passed, both directions together, and the tasks
// that ended with their bytes.
struct ThroughputCell {
    std::uint64_t stream_bytes = 0;
    std::uint64_t bytes = 0; // of tasks
    std::uint32_t tasks = 0;

    bool empty() const { return stream_bytes == 0 && tasks == 0; }
};

// One connection: its cells, and where it was active: a task was outstanding, or bytes passed of which no PDU
// is known.
class ThroughputColumn {
public:
    // Returns the interval's cell, which is made if there is none yet: its cost, in cells of 24 bytes, is
    // taken from `room`. Null if that is too little. Valid until the next call.
    ThroughputCell *make(std::uint64_t interval, std::size_t &room);
    // Returns the interval's cell, an empty one if there is none.
    ThroughputCell at(std::uint64_t interval) const;
    bool active(std::uint64_t interval) const;
    // The column is active from one interval to the other, both included.
    void add_active(std::uint64_t from, std::uint64_t to);
    // The same for those of these intervals in which bytes passed.
    void add_active_if_passed(std::uint64_t from, std::uint64_t to);
    // Number of the last interval with a cell, plus 1; 0 if there is none.
    std::uint64_t end() const;
    // Appends the numbers of those from `from` up to but not including `to` in which something happened.
    void list(std::uint64_t from, std::uint64_t to, std::vector<std::uint64_t> &) const;

private:
    // So many empty cells are kept rather than a further run begun, which takes as much memory.
    static constexpr std::uint64_t max_empty = 4;

    std::map<std::uint64_t, std::vector<ThroughputCell>> runs_; // of intervals in a row, by the first
    std::map<std::uint64_t, std::uint64_t> active_; // the last interval by the first; no two ranges touch
};

// One interval of all connections. Interval i begins at ThroughputFigures::first + i * interval.
struct ThroughputRow {
    std::uint64_t interval = 0;
    // By connection, in the order of ThroughputFigures::streams.
    std::vector<std::uint64_t> stream_bytes; // that passed in the interval, both directions together
    std::vector<std::uint64_t> bytes;        // of tasks that ended in the interval
    std::vector<std::uint64_t> tasks;        // tasks that ended in the interval
    std::vector<std::uint8_t> active;        // 1: ThroughputColumn::active
    // Stream bytes per second of the active connections; `members` is N and `sum` is G of the definition.
    Spread rate;
};

// The complete intervals in which bytes passed or tasks ended. Cells are stored by connection (many
// connections over a long capture have a million of them); operator[] makes a row from them.
class ThroughputRows {
public:
    ThroughputRows() = default;
    // columns: by connection. The complete intervals are those from `begin` up to but not including `end`.
    ThroughputRows(std::vector<ThroughputColumn> columns, std::uint64_t begin, std::uint64_t end,
                   Duration interval);

    std::size_t size() const { return numbers_.size(); }
    bool empty() const { return numbers_.empty(); }
    ThroughputRow operator[](std::size_t) const;
    // The complete intervals, with and without a row.
    std::uint64_t first_interval() const { return begin_; }
    std::uint64_t end_interval() const { return end_; }

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
    Iterator end() const { return {*this, size()}; }

private:
    std::vector<ThroughputColumn> columns_;
    std::vector<std::uint64_t> numbers_; // of the rows' intervals, ascending
    std::uint64_t begin_ = 0, end_ = 0;
    Duration interval_{};
};

} // namespace iscsiscope
