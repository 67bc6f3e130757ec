// SPDX-License-Identifier: GPL-2.0-or-later
// Searching: a direction while its PDU boundaries, or its digests, are not known. In: the framer that came to
// such a place, then pieces of the stream. Out: to the host, the PDUs that the search has read, and what it
// has shown of the connection; then the framer that goes on behind them, or that the stream is given up. It
// is closed or open.
#pragma once

#include "analyzer/iscsi/framing/direction_facts.h"
#include "analyzer/iscsi/framing/header_search.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

class Searching {
public:
    bool open() const { return search_ != nullptr; }

    // Opens it where a framer stands at a boundary, and nothing of what lies behind it is known.
    void begin_at(std::uint64_t boundary, const PduFramer &, const DirectionFacts &, DirectionHost &);
    // A PDU with data begins where the framer stands, and the use of data digests is unknown: searches with
    // and without a digest.
    void begin_with_choice(const PduFramer &, const DirectionFacts &, DirectionHost &);
    // There is no readable header where the framer expected one, in the piece of which it has used so much.
    // Reports the loss. Returns from where in the piece the search begins.
    std::uint32_t begin_at_loss(const PduFramer &, const StreamPiece &, std::uint32_t used,
                                const DirectionFacts &, DirectionHost &);

    // Reads the piece from `used` on, and opens the search there if it is closed. If a header is found, there
    // is a framer after the call, which has come to `used`; the result is that of its feed().
    PduFramer::Result feed(const StreamPiece &, std::uint32_t &used, DirectionFacts &,
                           std::optional<PduFramer> &, DirectionHost &);
    // The stream has ended. Where boundaries were lost, bytes count as skipped up to `received`.
    void end(std::uint64_t offset, std::uint64_t received, DirectionFacts &, std::optional<PduFramer> &,
             DirectionHost &);

    // The direction, or the digests in use, have become known elsewhere.
    void settle(PduDirection d) {
        if (search_)
            search_->settle(d);
    }
    void settle(DigestMode header, DigestMode data) {
        if (search_)
            search_->settle(header, data);
    }
    // Headers that the current search has read but not proved.
    std::vector<HeaderBytes> unproved() const {
        return search_ ? search_->unproved() : std::vector<HeaderBytes>{};
    }

private:
    void adopt(HeaderSearch::Trial &, DirectionFacts &, std::optional<PduFramer> &, DirectionHost &);

    std::unique_ptr<HeaderSearch> search_;
    std::uint64_t start_ = 0; // of the current search
};

} // namespace iscsiscope
