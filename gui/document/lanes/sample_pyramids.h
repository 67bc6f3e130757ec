// SPDX-License-Identifier: GPL-2.0-or-later
// Min/max pyramids over the TCP samples of each direction of each connection.
#pragma once

#include "gui/document/lanes/min_max_pyramid.h"
#include "gui/document/stores/record_stores.h"

#include <array>
#include <map>
#include <memory>

namespace iscsiscope::gui {

struct SamplePyramids {
    std::map<SeriesKey, std::array<MinMaxPyramid, sampleFigureCount>> series;

    static std::shared_ptr<const SamplePyramids> build(const Tables &);
    std::size_t memory() const;
};

} // namespace iscsiscope::gui
