// SPDX-License-Identifier: GPL-2.0-or-later
// DuplicateFilter: recognises second copies of a sender's frames made by a mirror port or the network
// (docs/figures.md, "Units"): the same header fields and IP identification or timestamp within a quarter of
// the minimum RTT.
//
// Where a sender marks its segments with neither (IPv6 without timestamps), a copy differs from a
// retransmission by its time alone: what comes sooner than the sender can have learnt of a loss is none. That
// needs a round trip which is certainly no longer than stated.
#pragma once

#include "analyzer/capture/segment.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace iscsiscope {

class DuplicateFilter {
public:
    // True if an IP identification or a timestamp distinguishes the segment from a retransmission of its
    // bytes.
    static bool is_marked(const Segment &s) { return has_identification(s) || s.options.has_timestamps; }
    // Returns true if the segment is a copy of one of the last four of this sender, passed less than `limit`
    // ago; else stores it. A limit of zero stores it without comparing.
    bool is_duplicate(const Segment &s, Duration limit) {
        const std::uint64_t fingerprint = fingerprint_of(s);
        if (fingerprint == 0)
            return false;
        if (limit > Duration{}) {
            for (const Entry &p : last_)
                if (p.fingerprint == fingerprint && s.time - p.time < limit && s.time >= p.time)
                    return true;
        }
        remember(fingerprint, s.time);
        return false;
    }
    // Stores a segment that cannot be a copy.
    void remember(const Segment &s) {
        if (const std::uint64_t fingerprint = fingerprint_of(s); fingerprint != 0)
            remember(fingerprint, s.time);
    }

private:
    struct Entry {
        std::uint64_t fingerprint = 0;
        Time time{};
    };
    static bool has_identification(const Segment &s) { return s.has_ip_id && s.ip_id != 0; }
    // Returns a 64-bit hash of the compared fields (a false match has a probability of about 2^-62), or 0 for
    // what is sent alike more than once without an IP identification: pure ACKs, and unmarked probes of one
    // byte.
    static std::uint64_t fingerprint_of(const Segment &s) {
        std::uint64_t identity = 0;
        if (has_identification(s))
            identity = 0x1'0000'0000ULL | s.ip_id;
        else if (s.options.has_timestamps && s.payload_length > 0)
            identity = 0x2'0000'0000ULL | s.options.timestamp_value;
        else if (!s.options.has_timestamps && s.payload_length > 1)
            identity = 0x3'0000'0000ULL;
        else
            return 0;
        const std::uint64_t numbers = (std::uint64_t{s.sequence} << 32) | s.acknowledgment;
        const std::uint64_t rest =
            (std::uint64_t{s.payload_length} << 24) | (std::uint64_t{s.window} << 8) | s.flags;
        const std::uint64_t mixed = (identity ^ (rest * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
        return numbers ^ mixed ^ (mixed >> 32);
    }
    void remember(std::uint64_t fingerprint, Time time) {
        std::copy_backward(last_.begin(), last_.end() - 1, last_.end());
        last_.front() = {fingerprint, time};
    }

    std::array<Entry, 4> last_{}; // the latest first
};

} // namespace iscsiscope
