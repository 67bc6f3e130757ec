// SPDX-License-Identifier: GPL-2.0-or-later
// Computes the access pattern of the Reads and of the Writes of each LUN: share of sequential commands,
// requests split into several commands, alignment.
#pragma once

#include "analyzer/base/containers/bounded.h"
#include "analyzer/sessions/figures/table_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <array>
#include <map>
#include <vector>

namespace iscsiscope {

class AccessTracker {
public:
    static constexpr std::size_t max_patterns = 1024; // (unit, LUN, Read or Write)
    static constexpr std::size_t streams = 8;         // sequential streams followed at once
    static constexpr std::size_t totals = 16;         // different sizes of requests counted apart

    explicit AccessTracker(const Luns &luns) : luns_(luns) {}

    // A SCSI Command, in the order in which they pass the tap.
    void command(const Member &, const Pdu &);
    void join(const MemberUnit &into, const MemberUnit &from);

    std::vector<AccessFigures> figures(const MemberTable &) const;
    std::uint64_t left_out() const { return left_out_; }

private:
    // Commands that continue one another.
    struct Stream {
        std::uint64_t next_lba = 0;
        std::uint64_t used = 0; // Pattern::clock at its latest command; 0: free
        // The current run: commands of length Pattern::piece so far, their bytes, the first one's frame.
        std::uint32_t pieces = 0;
        bool at_once = false; // none of these had ended when the latest one was sent
        std::uint64_t bytes = 0;
        FrameNumber first_frame = 0;
    };
    struct Total {
        std::uint64_t bytes = 0, count = 0, last = 0;
        std::uint32_t pieces = 0;
        std::uint32_t at_once = 0; // of count, the runs whose commands were all open at once
        FrameNumber first_frame = 0;
    };
    struct Pattern {
        AccessFigures sum;
        std::array<Stream, streams> open{};
        std::uint64_t clock = 0, last_next = 0;
        std::uint64_t piece = 0; // largest command so far, bytes
        std::vector<Total> totals;
        std::uint64_t ended_runs = 0;
    };
    struct Key {
        std::uint32_t unit;
        std::uint64_t lun;
        TaskType type;
        friend auto operator<=>(const Key &, const Key &) = default;
    };
    void align(Pattern &, std::uint64_t lba, std::uint64_t bytes, const Pdu &);
    static void end_run(Pattern &, Stream &, std::uint64_t last_bytes);
    // outstanding: commands open on the connection when this one was sent.
    static void follow(Pattern &, std::uint64_t lba, std::uint64_t blocks, std::uint64_t bytes,
                       std::uint64_t outstanding, FrameNumber);
    static Total *total_of(Pattern &, const Stream &, std::uint64_t last_bytes);

    const Luns &luns_;
    std::map<Key, Pattern> patterns_;
    Latest<decltype(patterns_)> last_;
    std::uint64_t left_out_ = 0;
};

} // namespace iscsiscope
