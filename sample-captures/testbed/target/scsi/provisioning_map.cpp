// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/scsi/provisioning_map.h"

#include <algorithm>
#include <new>

namespace iscsiscope::testbed {

ProvisioningMap::ProvisioningMap(std::uint64_t blocks, bool initially_mapped)
    : blocks_(blocks), initially_mapped_(initially_mapped),
      // calloc, not a vector: a large one is fresh zero pages that cost nothing until touched.
      changed_(static_cast<std::uint64_t *>(std::calloc(static_cast<std::size_t>(blocks / 64 + 1), 8))) {
    if (!changed_)
        throw std::bad_alloc();
}

void ProvisioningMap::set(std::uint64_t first, std::uint64_t count, bool mapped) {
    const bool bit = mapped != initially_mapped_;
    const std::uint64_t end = first + count;
    while (first < end) {
        const std::uint64_t at = first % 64;
        const std::uint64_t here = std::min(64 - at, end - first);
        const std::uint64_t mask = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << at;
        std::uint64_t &word = changed_[first / 64];
        const std::uint64_t wanted = bit ? word | mask : word & ~mask;
        if (wanted != word) // an untouched page stays untouched
            word = wanted;
        first += here;
    }
}

bool ProvisioningMap::mapped(std::uint64_t block) const {
    return ((changed_[block / 64] >> (block % 64) & 1) != 0) != initially_mapped_;
}

std::uint64_t ProvisioningMap::run(std::uint64_t first) const {
    const bool state = mapped(first);
    const std::uint64_t whole = state != initially_mapped_ ? ~std::uint64_t{0} : 0; // a word of that state
    std::uint64_t block = first + 1;
    while (block < blocks_)
        if (block % 64 == 0 && changed_[block / 64] == whole)
            block += 64;
        else if (mapped(block) == state)
            ++block;
        else
            break;
    return std::min(block, blocks_) - first;
}

} // namespace iscsiscope::testbed
