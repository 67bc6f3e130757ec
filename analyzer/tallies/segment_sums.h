// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentSums: what became of the segments of one direction of a connection, or of several.
#pragma once

#include "analyzer/tcp/tcp_figures.h"

#include <cstdint>

namespace iscsiscope {

struct SegmentSums {
    std::uint64_t segments = 0; // with payload, repeats included
    // Segments that were sent again because the first was lost, or seemed to be: of them those that did not
    // pass the tap, and those of which nothing shows the loss.
    std::uint64_t lost = 0, lost_before_tap = 0, loss_not_shown = 0;
    std::uint64_t spurious = 0; // sent again although the first had arrived
    // Overtaken by later ones; of them those that passed the tap in order.
    std::uint64_t reordered = 0, overtaken_behind_tap = 0;
    // Those overtaken before the tap: by how long and by how many segments at most.
    Duration reordering_delay{};
    std::uint32_t reordering_segments = 0;
    // That arrived twice: as a receiver reported them though sent once, and copies of frames in the capture.
    std::uint64_t received_twice = 0, copies = 0;
    std::uint64_t duplicate_acks = 0;
    OptionalFrame first_again, first_overtaken, first_twice;

    void add(const TcpDirectionFigures &);
    void merge(const SegmentSums &);
    std::uint64_t shown_lost() const { return lost - loss_not_shown; }
};

} // namespace iscsiscope
