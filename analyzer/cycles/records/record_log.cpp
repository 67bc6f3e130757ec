// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/records/record_log.h"

#include <algorithm>

namespace iscsiscope {

void LoggedRecords::clear() {
    std::apply(
        [used = used_](auto &...records) mutable {
            static_assert(sizeof...(records) <= 64);
            ((used & 1U ? records.clear() : void(), used >>= 1U), ...);
        },
        records_);
    used_ = 0;
    entries_.clear();
    works_.clear();
    bytes_.clear();
}

void LoggedRecords::keep(std::span<const std::byte> &bytes) {
    if (bytes.empty())
        return;
    bytes_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), bytes_.back().get());
    bytes = {bytes_.back().get(), bytes.size()};
}

} // namespace iscsiscope
