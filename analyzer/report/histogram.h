// SPDX-License-Identifier: GPL-2.0-or-later
// Log-linear histogram of non-negative integers (nanoseconds, bytes): quantiles by nearest rank with
// at most 0.1 % relative error, minimum, maximum, count and sum exact. The same in every front end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

class Histogram {
public:
    // Negative values count as 0.
    void add(std::int64_t value);
    void merge(const Histogram &);

    std::uint64_t count() const { return count_; }
    std::int64_t sum() const { return sum_; }
    // Empty histogram: nothing is known.
    std::optional<std::int64_t> minimum() const;
    std::optional<std::int64_t> maximum() const;
    std::optional<double> mean() const;
    // q in 0..1: the value of rank ceil(q * count), at least 1.
    std::optional<std::int64_t> quantile(double q) const;

private:
    // An octave has 512 buckets: half a bucket's width over its lower edge is at most 1/1024. Blocks of
    // 64 buckets are made when first needed, so that a narrow distribution costs a few hundred bytes.
    static constexpr unsigned octave_bits = 9;
    static constexpr unsigned block_bits = 6;
    static constexpr std::size_t block_size = std::size_t{1} << block_bits;
    using Block = std::array<std::uint64_t, block_size>;

    static std::uint32_t bucket_of(std::uint64_t value);
    static std::uint64_t middle_of(std::uint32_t bucket);
    Block &block(std::uint32_t number);

    std::vector<std::unique_ptr<Block>> blocks_; // by number, from first_block_ on; null: all zero
    std::uint32_t first_block_ = 0;
    std::uint64_t count_ = 0;
    std::int64_t sum_ = 0, minimum_ = 0, maximum_ = 0;
};

} // namespace iscsiscope
