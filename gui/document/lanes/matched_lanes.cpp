// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/lanes/matched_lanes.h"

namespace iscsiscope::gui {

std::shared_ptr<const MatchedLanes> MatchedLanes::build(const Tables &t, const std::vector<Row> &matches,
                                                        const std::atomic<bool> &stop) {
    auto lanes = std::make_shared<MatchedLanes>();
    lanes->rows.resize(t.cycles.size());
    std::map<StreamId, std::vector<Row>> rows;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        if (i % 65536 == 0 && stop)
            return nullptr;
        const Row row = matches[i];
        lanes->rows[row] = true;
        rows[t.cycles.stream(row)].push_back(row);
    }
    for (auto &[stream, list] : rows) {
        if (stop)
            return nullptr;
        lanes->cycles.try_emplace(stream, t.cycles, std::move(list));
    }
    return lanes;
}

} // namespace iscsiscope::gui
