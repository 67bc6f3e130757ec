// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionTally: the figures of a direction as its parts count them; those of troubles take memory only once
// there is one.
#pragma once

#include "analyzer/tcp/tcp_figures.h"

#include <memory>

namespace iscsiscope {

class DirectionTally {
public:
    explicit DirectionTally(Side sender) { counts.sender = sender; }

    TcpDirectionCounts counts;

    TcpDirectionTroubles &troubles() {
        if (!troubles_)
            troubles_ = std::make_unique<TcpDirectionTroubles>();
        return *troubles_;
    }
    // A segment with FIN or RST: the first of each counts.
    void ended(const Segment &s) {
        TcpDirectionTroubles &t = troubles();
        if ((s.flags & tcp_rst) != 0 && !t.reset_frame) {
            t.reset_frame = s.frame;
            t.reset_time = s.time;
            t.reset_face = {s.source_mac, s.ip_ttl};
        }
        if ((s.flags & tcp_fin) != 0 && !t.fin_frame) {
            t.fin_frame = s.frame;
            t.fin_time = s.time;
        }
    }
    void fill(TcpDirectionFigures &f) const {
        static_cast<TcpDirectionCounts &>(f) = counts;
        if (troubles_)
            static_cast<TcpDirectionTroubles &>(f) = *troubles_;
    }

private:
    std::unique_ptr<TcpDirectionTroubles> troubles_;
};

} // namespace iscsiscope
