// SPDX-License-Identifier: GPL-2.0-or-later
// Knows what was written where, keeps reads and writes of the same blocks apart, and checks what comes
// back.
#pragma once

#include "sample-captures/testbed/initiator/workload/workload.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed::initiator {

// One thread. Memory: four bytes for every block written, in chunks.
class DataVerifier {
public:
    // `expect_all`: a block that this run has not written must hold the pattern all the same, of any
    // generation (it was written by an earlier run with this seed); else it is not checked.
    DataVerifier(std::uint64_t seed, std::size_t block_bytes, bool expect_all);

    // A command on these blocks must wait: another in flight overlaps them, and one of the two writes.
    bool conflicts(const BlockRange &range, bool write) const;
    void begin(const BlockRange &range, bool write);
    // good: a write that reached its GOOD status (on every mirror); else its blocks become unknown.
    void end_write(const BlockRange &range, std::uint32_t generation, bool good);
    void end_read(const BlockRange &range);
    // Checks a read's data: what it should hold is what was written last.
    void check(const BlockRange &range, std::span<const std::byte> data, const std::string &source);

    // The next stretch of blocks with known contents from `from` on, at most `most` long; empty: none.
    BlockRange known_from(std::uint64_t from, std::uint64_t most) const;

    std::uint64_t seed() const { return seed_; }
    std::uint64_t checked_blocks() const { return checked_; }
    std::uint64_t unchecked_blocks() const { return unchecked_; }
    std::uint64_t wrong_blocks() const { return wrong_; }
    // Sentences about the first few wrong blocks.
    const std::vector<std::string> &complaints() const { return complaints_; }

private:
    static constexpr std::uint64_t chunk_blocks = 4096;
    static constexpr std::uint32_t unknown = 0;
    using Chunk = std::array<std::uint32_t, chunk_blocks>;
    std::uint32_t generation_of(std::uint64_t lba) const;
    void note(std::uint64_t lba, std::uint32_t generation);
    void leave(const BlockRange &range, bool write);

    struct InFlight {
        BlockRange range;
        bool write;
    };
    std::uint64_t seed_;
    std::size_t block_bytes_;
    bool expect_all_;
    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::vector<InFlight> in_flight_;
    std::uint64_t checked_ = 0, unchecked_ = 0, wrong_ = 0;
    std::vector<std::string> complaints_;
};

} // namespace iscsiscope::testbed::initiator
