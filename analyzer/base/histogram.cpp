// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/histogram.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope {

std::uint64_t Histogram::middle_of(std::uint32_t bucket) {
    const std::uint32_t octave = bucket >> octave_bits;
    if (octave < 2)
        return bucket;
    const std::uint32_t shift = octave - 1;
    const std::uint64_t low = static_cast<std::uint64_t>(bucket - (shift << octave_bits)) << shift;
    return low + ((std::uint64_t{1} << shift) >> 1);
}

Histogram::Block &Histogram::block(std::uint32_t number) const {
    if (blocks_.empty())
        first_block_ = number;
    if (number < first_block_) {
        std::vector<std::unique_ptr<Block>> wider(blocks_.size() + first_block_ - number);
        std::move(blocks_.begin(), blocks_.end(), wider.begin() + (first_block_ - number));
        blocks_ = std::move(wider);
        first_block_ = number;
    }
    const std::size_t at = number - first_block_;
    if (at >= blocks_.size())
        blocks_.resize(at + 1);
    if (!blocks_[at])
        blocks_[at] = std::make_unique<Block>();
    return *blocks_[at];
}

void Histogram::make_room() {
    if (waiting_.capacity() == 0 || (blocks_.empty() && waiting_.capacity() < most_waiting))
        waiting_.reserve(waiting_.capacity() == 0 ? 8 : 2 * waiting_.capacity());
    else
        sort_in();
}

void Histogram::sort_in() const {
    for (const std::uint32_t bucket : waiting_) {
        const std::uint32_t number = bucket >> block_bits;
        const std::size_t at = number - first_block_; // a lower number wraps and is out of range
        Block &b =
            number >= first_block_ && at < blocks_.size() && blocks_[at] ? *blocks_[at] : block(number);
        ++b[bucket & (block_size - 1)];
    }
    waiting_.clear();
}

void Histogram::merge(const Histogram &other) {
    if (other.count_ == 0)
        return;
    for (const std::uint32_t bucket : other.waiting_)
        wait(bucket);
    for (std::size_t i = 0; i < other.blocks_.size(); ++i) {
        if (const auto &from = other.blocks_[i]) {
            Block &to = block(other.first_block_ + static_cast<std::uint32_t>(i));
            for (std::size_t k = 0; k < block_size; ++k)
                to[k] += (*from)[k];
        }
    }
    minimum_ = std::min(minimum_, other.minimum_);
    maximum_ = std::max(maximum_, other.maximum_);
    count_ += other.count_;
    sum_ = saturated_sum(sum_, other.sum_);
}

std::optional<std::int64_t> Histogram::minimum() const {
    return count_ ? std::optional(minimum_) : std::nullopt;
}

std::optional<std::int64_t> Histogram::maximum() const {
    return count_ ? std::optional(maximum_) : std::nullopt;
}

std::optional<double> Histogram::mean() const {
    return count_ ? std::optional(static_cast<double>(sum_) / static_cast<double>(count_)) : std::nullopt;
}

std::optional<std::int64_t> Histogram::quantile(double q) const {
    if (count_ == 0)
        return std::nullopt;
    // A product that should be an integer may be slightly above it because of rounding: 0.999 * 1000.
    const double exact = q * static_cast<double>(count_);
    const auto rank = std::clamp(static_cast<std::uint64_t>(std::max(0.0, std::ceil(exact - exact * 1e-12))),
                                 std::uint64_t{1}, count_);
    if (rank == 1 || rank == count_)
        return rank == 1 ? minimum_ : maximum_;
    if (blocks_.empty()) {
        const auto wanted = waiting_.begin() + static_cast<std::ptrdiff_t>(rank - 1);
        std::nth_element(waiting_.begin(), wanted, waiting_.end());
        return std::clamp(static_cast<std::int64_t>(middle_of(*wanted)), minimum_, maximum_);
    }
    sort_in();
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (!blocks_[i])
            continue;
        for (std::size_t k = 0; k < block_size; ++k) {
            seen += (*blocks_[i])[k];
            if (seen >= rank) {
                const auto bucket = static_cast<std::uint32_t>(((first_block_ + i) << block_bits) + k);
                return std::clamp(static_cast<std::int64_t>(middle_of(bucket)), minimum_, maximum_);
            }
        }
    }
    return maximum_;
}

} // namespace iscsiscope
