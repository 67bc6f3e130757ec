// SPDX-License-Identifier: GPL-2.0-or-later
// Histogram: a log-linear histogram of non-negative integers (nanoseconds, bytes). Quantiles are those of
// nearest rank with a relative error of at most 0.1 %; minimum, maximum, count and sum are exact, but for a
// sum beyond the range of its type, which stays at the end of it. Memory is bounded. Not thread-safe, not
// even for reading: quantile() and merge() sort in the values added last.
#pragma once

#include "analyzer/base/saturating.h"
#include "analyzer/base/time.h"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

class Histogram {
public:
    Histogram() = default;
    Histogram(Histogram &&) = default;
    Histogram &operator=(Histogram &&) = default;
    Histogram(const Histogram &other) { merge(other); }
    Histogram &operator=(const Histogram &other) { return *this = Histogram(other); }
    // Adds a value; a negative one counts as 0.
    void add(std::int64_t value) {
        const std::int64_t v = value < 0 ? 0 : value;
        minimum_ = v < minimum_ ? v : minimum_;
        maximum_ = v > maximum_ ? v : maximum_;
        sum_ = saturated_sum(sum_, v);
        ++count_;
        wait(bucket_of(static_cast<std::uint64_t>(v)));
    }
    // Adds a time in nanoseconds, if it is known.
    void add(std::optional<Duration> time) {
        if (time)
            add(to_ns(*time));
    }
    void merge(const Histogram &);

    std::uint64_t count() const { return count_; }
    std::int64_t sum() const { return sum_; }
    // Each of these is empty if the histogram is.
    std::optional<std::int64_t> minimum() const;
    std::optional<std::int64_t> maximum() const;
    std::optional<double> mean() const;
    // Returns the value of rank ceil(q * count), at least 1; q is from 0 to 1.
    std::optional<std::int64_t> quantile(double q) const;

private:
    // An octave has 512 buckets: half a bucket's width over its lower edge is at most 1/1024. Blocks of
    // 64 buckets are allocated when first needed, so that a narrow distribution takes a few hundred bytes.
    static constexpr unsigned octave_bits = 9;
    static constexpr unsigned block_bits = 6;
    static constexpr std::size_t block_size = std::size_t{1} << block_bits;
    using Block = std::array<std::uint64_t, block_size>;
    struct Blocks {
        std::uint32_t first = 0;                 // number of the first block
        std::vector<std::unique_ptr<Block>> all; // by number, from there on; null: all zero
    };

    // Each value below 1024 has a bucket of its own. The upper ten bits of a larger one choose its bucket.
    static std::uint32_t bucket_of(std::uint64_t value) {
        const unsigned bits = static_cast<unsigned>(std::bit_width(value | 1));
        const unsigned shift = bits > octave_bits + 1 ? bits - octave_bits - 1 : 0;
        return (shift << octave_bits) + static_cast<std::uint32_t>(value >> shift);
    }
    static std::uint64_t middle_of(std::uint32_t bucket);
    void wait(std::uint32_t bucket) {
        if (waiting_.size() == waiting_.capacity())
            make_room();
        waiting_.push_back(bucket);
    }
    void make_room();
    Block &block(std::uint32_t number) const;
    void sort_in() const;

    // The bucket numbers of the latest values are kept here before they are counted: a report adds to a dozen
    // histograms for each task, whose buckets lie far apart in memory, and counting many at a time misses the
    // cache less often. A histogram of few values never needs blocks.
    static constexpr std::size_t max_waiting = 512;
    mutable std::vector<std::uint32_t> waiting_;
    mutable std::unique_ptr<Blocks> blocks_; // null: all values wait; then never empty
    std::uint64_t count_ = 0;
    std::int64_t sum_ = 0;
    std::int64_t minimum_ = std::numeric_limits<std::int64_t>::max(), maximum_ = 0;
};

} // namespace iscsiscope
