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
    void fill(TcpDirectionFigures &f) const {
        static_cast<TcpDirectionCounts &>(f) = counts;
        if (troubles_)
            static_cast<TcpDirectionTroubles &>(f) = *troubles_;
    }

private:
    std::unique_ptr<TcpDirectionTroubles> troubles_;
};

} // namespace iscsiscope
