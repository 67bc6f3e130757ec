// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/lanes/sample_pyramids.h"

namespace iscsiscope::gui {

std::shared_ptr<const SamplePyramids> SamplePyramids::build(const Tables &tables) {
    auto all = std::make_shared<SamplePyramids>();
    for (const auto &[key, samples] : tables.samples) {
        auto &figures = all->series[key];
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const auto row = static_cast<Row>(i);
            const Time time = samples.time(row);
            for (std::size_t f = 0; f < sampleFigureCount; ++f) {
                const auto v = samples.value(row, static_cast<SampleFigure>(f));
                figures[f].add(time, v.has_value(), v ? static_cast<float>(*v) : 0);
            }
        }
        for (MinMaxPyramid &p : figures)
            p.finish();
    }
    return all;
}

std::size_t SamplePyramids::memory() const {
    std::size_t sum = 0;
    for (const auto &[key, figures] : series)
        for (const MinMaxPyramid &p : figures)
            sum += p.memory();
    return sum;
}

} // namespace iscsiscope::gui
