// SPDX-License-Identifier: GPL-2.0-or-later
// OutageGaps: finds the outages of a connection's path among its gaps: intervals in which nothing got through
// for longer than the repair of a loss takes.
//
// Linux sends a lost segment again after 200 ms at the earliest, and RFC 6298 (sections 2.1 and 2.4) after
// one second at the latest on paths of ordinary round trips; then the timeout doubles. A path that still
// works answers the first repeat. An interval is an outage if a repeat stayed without an answer (gaps of kind
// path_down), and for a second or more no connection of the path got an ACK for new bytes: then at least two
// repeats were lost, and not a lone tail. At a tap beyond the break the repeats do not pass; one and a half
// seconds without such an ACK show there that an earlier repeat was lost. While other connections get
// through, an overflowing queue loses repeats too: only an interval of six seconds is an outage of the
// connection's own way then; timeouts of 200 ms, doubled, are five repeats without an answer.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/tcp_figures.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace iscsiscope {

struct OutageInterval {
    Time start{}, end{};
    FrameNumber before_frame = 0;                            // last payload before it
    OptionalFrame after_frame;                               // first after it; empty: none came
    bool ended_by_repair = false;                            // payload passed after it
    std::uint64_t repeats = 0;                               // gaps that a repeat ended without an answer
    std::uint64_t lost_to_target = 0, lost_to_initiator = 0; // segments sent again meanwhile, by direction
    std::uint64_t bytes_again = 0;                           // their payload
    std::optional<std::uint32_t> smallest_again;             // of one of them

    Duration length() const { return end - start; }
};

class OutageGaps {
public:
    static constexpr std::size_t max_gaps = 4096, max_repeats = 4096;

    // Takes a gap if it may belong to an outage; decide() returns it. False: it does not, or no room is left.
    bool keep(const GapRecord &);
    void note(const TcpRetransmission &, bool to_target);

    using Found = std::function<void(StreamId stream, const OutageInterval &)>;
    using Judged = std::function<void(const GapRecord &, bool in_outage)>;
    // Calls found for each outage, in order of stream and time, and judged for each gap kept.
    void decide(const Found &found, const Judged &judged);

private:
    struct Repeat {
        StreamId stream;
        Time time{};
        std::uint32_t bytes = 0;
        bool to_target = false;
    };
    OutageInterval interval(std::size_t from, std::size_t to) const;

    std::vector<GapRecord> gaps_;
    std::vector<Repeat> repeats_;
};

} // namespace iscsiscope
