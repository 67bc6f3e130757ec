// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/page/published.h"

#include "analyzer/report/json/json_library.h"

#include <cmath>
#include <fstream>

namespace iscsiscope::testbed::papers {

Result<Published> Published::load(const std::string &path) {
    std::ifstream file(path);
    if (!file)
        return Failure{path + ": cannot be read"};
    const nlohmann::json data = nlohmann::json::parse(file, nullptr, false);
    if (!data.is_object() || !data.contains("title") || !data.contains("source"))
        return Failure{path + ": a JSON object with title and source is meant"};
    Published published;
    try {
        published.title_ = data.at("title").get<std::string>();
        published.source_ = data.at("source").get<std::string>();
        published.set_up_ = data.value("set_up", "");
        if (data.contains("values"))
            for (const auto &[name, entry] : data.at("values").items())
                published.values_[name] = entry.at("value").get<double>();
        if (data.contains("series")) {
            for (const auto &[name, entry] : data.at("series").items()) {
                for (const auto &point : entry.at("points")) {
                    published.series_[name].emplace_back(point.at(0).get<double>(),
                                                         point.at(1).get<double>());
                }
            }
        }
    } catch (const nlohmann::json::exception &error) {
        return Failure{path + ": " + error.what()};
    }
    return published;
}

double Published::value(const std::string &name) const {
    const auto at = values_.find(name);
    if (at == values_.end()) {
        missing_.push_back(name);
        return 0;
    }
    return at->second;
}

Points Published::series(const std::string &name) const {
    const auto at = series_.find(name);
    if (at == series_.end()) {
        missing_.push_back(name);
        return {};
    }
    return at->second;
}

double Published::at(const std::string &name, double x) const {
    for (const auto &[px, py] : series(name))
        if (std::fabs(px - x) < 1e-9)
            return py;
    return 0;
}

} // namespace iscsiscope::testbed::papers
