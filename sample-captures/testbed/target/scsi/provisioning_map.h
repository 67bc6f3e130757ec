// SPDX-License-Identifier: GPL-2.0-or-later
// Which logical blocks are mapped: one bit a block, in memory that is taken only where it is written.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace iscsiscope::testbed {

class ProvisioningMap {
public:
    // initially_mapped: a file's blocks count as mapped until they are unmapped.
    ProvisioningMap(std::uint64_t blocks, bool initially_mapped);

    void set(std::uint64_t first, std::uint64_t count, bool mapped);
    bool mapped(std::uint64_t block) const;
    // How many blocks from this one on (itself included) are in its state.
    std::uint64_t run(std::uint64_t first) const;

private:
    struct Free {
        void operator()(std::uint64_t *p) const { std::free(p); }
    };
    std::uint64_t blocks_;
    bool initially_mapped_;
    std::unique_ptr<std::uint64_t[], Free> changed_; // bit set: not as initially
};

} // namespace iscsiscope::testbed
