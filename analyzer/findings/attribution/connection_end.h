// SPDX-License-Identifier: GPL-2.0-or-later
// FirstEnd: the first FIN or RST of a connection, and whose address it had.
#pragma once

#include "analyzer/findings/facts/facts.h"

#include <string>

namespace iscsiscope {

struct FirstEnd {
    bool known = false;    // false: neither FIN nor RST of it is in the capture
    bool by_reset = false; // an RST; else a FIN
    bool by_target = false;
    FrameNumber frame = 0;
    Time time{};
    // The other end's FIN or RST behind it; empty: none.
    OptionalFrame answer;
    bool answered_by_reset = false;
    Time answer_time{};

    bool of_target() const { return known && by_target; }
    bool fin_of_target() const { return of_target() && !by_reset; }
    bool reset_of_target() const { return of_target() && by_reset; }
};

FirstEnd first_end(const ConnectionFacts &);

// Returns "A FIN of the target (frame 170) came first; the initiator answered with an RST 60 us later (frame
// 171)", or "An RST with the address of the target (frame 12) ended the connection", without the period;
// empty if neither is known. RSTs name an address only: a device in between may have sent them.
std::string first_end_words(const FirstEnd &);

} // namespace iscsiscope
