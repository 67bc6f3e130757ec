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
    if (!blocks_)
        blocks_ = std::make_unique<Blocks>(Blocks{number, {}});
    auto &[first, all] = *blocks_;
    if (number < first) {
        std::vector<std::unique_ptr<Block>> wider(all.size() + first - number);
        std::move(all.begin(), all.end(), wider.begin() + (first - number));
        all = std::move(wider);
        first = number;
    }
    const std::size_t at = number - first;
    if (at >= all.size())
        all.resize(at + 1);
    if (!all[at])
        all[at] = std::make_unique<Block>();
    return *all[at];
}

void Histogram::make_room() {
    if (waiting_.capacity() == 0 || (!blocks_ && waiting_.capacity() < max_waiting))
        waiting_.reserve(waiting_.capacity() == 0 ? 8 : 2 * waiting_.capacity());
    else
        sort_in();
}

void Histogram::sort_in() const {
    for (const std::uint32_t bucket : waiting_) {
        const std::uint32_t number = bucket >> block_bits;
        ++block(number)[bucket & (block_size - 1)];
    }
    waiting_.clear();
}

void Histogram::merge(const Histogram &other) {
    if (other.count_ == 0)
        return;
    for (const std::uint32_t bucket : other.waiting_)
        wait(bucket);
    for (std::size_t i = 0; other.blocks_ && i < other.blocks_->all.size(); ++i) {
        if (const auto &from = other.blocks_->all[i]) {
            Block &to = block(other.blocks_->first + static_cast<std::uint32_t>(i));
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
    if (!blocks_) {
        const auto wanted = waiting_.begin() + static_cast<std::ptrdiff_t>(rank - 1);
        std::nth_element(waiting_.begin(), wanted, waiting_.end());
        return std::clamp(static_cast<std::int64_t>(middle_of(*wanted)), minimum_, maximum_);
    }
    sort_in();
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < blocks_->all.size(); ++i) {
        const Block *b = blocks_->all[i].get();
        for (std::size_t k = 0; b != nullptr && k < block_size; ++k) {
            seen += (*b)[k];
            if (seen >= rank) {
                const auto bucket = static_cast<std::uint32_t>(((blocks_->first + i) << block_bits) + k);
                return std::clamp(static_cast<std::int64_t>(middle_of(bucket)), minimum_, maximum_);
            }
        }
    }
    return maximum_;
}

} // namespace iscsiscope
