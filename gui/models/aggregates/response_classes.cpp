// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/aggregates/response_classes.h"

#include "gui/document/stores/time_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace iscsiscope::gui {
namespace {

std::array<Duration, responseClasses + 1> makeEdges() {
    std::array<Duration, responseClasses + 1> edges{};
    for (int c = 1; c <= responseClasses; ++c) {
        const double edge = std::pow(10.0, c / responseClassesPerDecade);
        // A power of ten may come out a little above itself.
        edges[static_cast<std::size_t>(c)] =
            edge < 9e18 ? cutToNs(std::ceil(edge * (1 - 1e-14))) : Duration::max();
    }
    return edges;
}

const std::array<Duration, responseClasses + 1> edgesOfClasses = makeEdges();

} // namespace

int responseClassOf(Duration d) {
    const auto above = std::ranges::upper_bound(edgesOfClasses, std::max(d, Duration{}));
    return std::min(static_cast<int>(above - edgesOfClasses.begin()) - 1, responseClasses - 1);
}

Duration lowerEdgeOf(int responseClass) {
    return edgesOfClasses[static_cast<std::size_t>(std::clamp(responseClass, 0, responseClasses))];
}

} // namespace iscsiscope::gui
