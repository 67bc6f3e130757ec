// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionFollower: finds the PDUs of one direction of a TCP connection. It is in one of four states:
// framing (PDU boundaries are known), bridging (a header's bytes are not in the file, Bridge predicts it),
// searching (the boundaries are lost, HeaderSearch looks for a header), or off (the stream has been given up
// as not iSCSI). Stream pieces go in; PDUs and state changes go to the host.
#pragma once

#include "analyzer/iscsi/framing/bridging.h"
#include "analyzer/iscsi/framing/direction_facts.h"
#include "analyzer/iscsi/framing/searching.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

class DirectionFollower {
public:
    // Of the stream that this side sends.
    explicit DirectionFollower(Side side) : facts_(side) {}

    // The direction begins with a Login PDU, unless some of it has been read already.
    void begin_login();
    void feed(const StreamPiece &piece, DirectionHost &host) {
        if (framer_ && !bridging_.open() && framer_->pass(piece)) {
            facts_.last_frame = piece.frame;
            facts_.reached.raise(piece.first_seen, piece.frame);
        } else {
            process(piece, host);
        }
    }
    // The stream has ended. received: of its bytes up to `offset`, those that came to the other end's iSCSI.
    void end(std::uint64_t offset, std::uint64_t received, DirectionHost &);

    // A header of the other direction is about to be delivered (Bridging::note_other).
    void note_other(const Pdu &pdu, std::uint64_t received, bool counts, DirectionHost &host) {
        if (!bridging_.note_other(pdu, received, counts, facts_, framer_, host))
            give_up_bridge(host);
    }
    // The tag of a PDU of the connection has become known.
    void note_named(const Pdu &pdu) { bridging_.note_named(pdu); }

    void set_direction(PduDirection d) {
        facts_.direction = d;
        searching_.settle(d);
    }
    // Sets the digests in use, known from the login or from the search in the other direction.
    void set_digests(DigestMode header, DigestMode data);
    // The same, of what is not known here, while the login may not be over in this direction.
    void learn_digests(DigestMode header, DigestMode data);

    const DirectionFacts &facts() const { return facts_; }
    // Headers that the current search has read but not proved.
    std::vector<HeaderBytes> unproved() const { return searching_.unproved(); }
    Withheld withheld() const {
        constexpr std::uint32_t some = 4; // how many is known when the search is over
        return bridging_.open()    ? bridging_.withheld()
               : searching_.open() ? Withheld{.commands = some, .data = true, .r2ts = true}
                                   : Withheld{};
    }
    // Headers may have been read that are not delivered yet.
    bool withholds() const { return bridging_.open() || searching_.open(); }
    bool in_pdu() const { return framer_ && framer_->in_pdu(); }
    std::uint64_t content_needed_from(std::uint64_t next) const;

private:
    void process(const StreamPiece &, DirectionHost &);
    void read(const StreamPiece &, std::uint32_t used, DirectionHost &);
    void frame(const StreamPiece &, std::uint32_t used, DirectionHost &);
    void give_up_bridge(DirectionHost &);
    void begin_search(PduFramer::Result why, const StreamPiece &, std::uint32_t used, DirectionHost &);

    DirectionFacts facts_;
    std::optional<PduFramer> framer_; // of a bridge: stands where it begins
    Bridging bridging_;
    Searching searching_;
};

} // namespace iscsiscope
