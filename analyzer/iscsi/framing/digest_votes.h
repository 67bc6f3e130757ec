// SPDX-License-Identifier: GPL-2.0-or-later
// DigestVotes: finds out which digests a connection uses from the distance between headers, where no header
// is in the file behind another: a capture that begins within its connections, and is cut.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"
#include "analyzer/iscsi/pdu/pdu_framer.h"

#include <array>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class DigestVotes {
public:
    struct Digests {
        DigestMode header, data;
    };

    // Takes a whole header in the file, whose numbers continue the connection's, at an offset of its stream,
    // ascending. header: the use of header digests as far as it is known. Between a PDU with at least `least`
    // bytes of data and the next such header there are often only PDUs of its length: then that length, with
    // the digests in use, divides the distance. A distance is a vote for a use of the digests if the length
    // with that use, and with no other that is possible, divides it into at most 64 parts. Returns the
    // digests once a use has three votes and no other use has one.
    std::optional<Digests> note(std::uint64_t offset, HeaderView h, DigestMode header) {
        std::optional<Digests> decided;
        if (has_last_ && offset > last_offset_)
            decided = compare(offset - last_offset_, header);
        has_last_ = h.data_segment_length() >= least;
        last_offset_ = offset;
        for (std::size_t i = 0; i < uses.size(); ++i)
            lengths_[i] = h.pdu_length(uses[i].header == DigestMode::on, uses[i].data == DigestMode::on);
        return decided;
    }

private:
    static constexpr std::uint32_t least =
        512; // of data: a few small PDUs of other lengths may add up to anything
    static constexpr std::array<Digests, 4> uses{{{DigestMode::off, DigestMode::off},
                                                  {DigestMode::off, DigestMode::on},
                                                  {DigestMode::on, DigestMode::off},
                                                  {DigestMode::on, DigestMode::on}}};

    std::optional<Digests> compare(std::uint64_t distance, DigestMode header) {
        constexpr std::uint64_t max_between = 64; // further apart, a wrong length divides too easily
        constexpr std::uint32_t enough = 3;
        std::optional<std::size_t> only;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            if ((header != DigestMode::unknown && uses[i].header != header) || distance % lengths_[i] != 0 ||
                distance / lengths_[i] > max_between)
                continue;
            if (only)
                return std::nullopt;
            only = i;
        }
        if (!only || ++votes_[*only] < enough)
            return std::nullopt;
        for (std::size_t i = 0; i < uses.size(); ++i)
            if (i != *only && votes_[i] != 0)
                return std::nullopt;
        return uses[*only];
    }

    bool has_last_ = false;
    std::uint64_t last_offset_ = 0;
    std::array<std::uint32_t, 4> lengths_{};
    std::array<std::uint32_t, 4> votes_{};
};

} // namespace iscsiscope
