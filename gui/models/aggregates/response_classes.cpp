// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/aggregates/response_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace iscsiscope::gui {
namespace {

std::array<std::int64_t, responseClasses + 1> makeEdges() {
    std::array<std::int64_t, responseClasses + 1> edges{};
    for (int c = 1; c <= responseClasses; ++c) {
        const double edge = std::pow(10.0, c / responseClassesPerDecade);
        // A power of ten may come out a little above itself.
        edges[static_cast<std::size_t>(c)] = edge < 9e18
                                                 ? static_cast<std::int64_t>(std::ceil(edge * (1 - 1e-14)))
                                                 : std::numeric_limits<std::int64_t>::max();
    }
    return edges;
}

const std::array<std::int64_t, responseClasses + 1> edgesOfClasses = makeEdges();

} // namespace

int responseClassOf(std::int64_t ns) {
    const auto above =
        std::upper_bound(edgesOfClasses.begin(), edgesOfClasses.end(), std::max<std::int64_t>(ns, 0));
    return std::min(static_cast<int>(above - edgesOfClasses.begin()) - 1, responseClasses - 1);
}

std::int64_t lowerEdgeOf(int responseClass) {
    return edgesOfClasses[static_cast<std::size_t>(std::clamp(responseClass, 0, responseClasses))];
}

} // namespace iscsiscope::gui
