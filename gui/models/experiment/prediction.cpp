// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/experiment/prediction.h"

#include "analyzer/base/number_format.h"
#include "gui/models/words.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

std::vector<double> powers(double from, double to) {
    std::vector<double> v;
    for (double x = from; x <= to * 1.0001; x *= 2)
        v.push_back(x);
    return v;
}

// The scale with what was measured in its place, so that not moving a setting changes nothing.
SettingScale scaleOf(SettingName setting, const QString &title, std::vector<double> values, double present) {
    if (std::find(values.begin(), values.end(), present) == values.end()) {
        values.push_back(present);
        std::sort(values.begin(), values.end());
    }
    SettingScale s{setting, title, std::move(values), 0};
    s.present =
        static_cast<std::size_t>(std::find(s.values.begin(), s.values.end(), present) - s.values.begin());
    return s;
}

} // namespace

QString bottleneckWords(Bottleneck b) {
    switch (b) {
    case Bottleneck::latency:
        return PredictionModel::tr("round trips and service time: each cycle waits for them");
    case Bottleneck::path_rate:
        return PredictionModel::tr("the rate of the path");
    case Bottleneck::window:
        return PredictionModel::tr("the TCP window");
    case Bottleneck::loss:
        return PredictionModel::tr("packet loss");
    case Bottleneck::host:
        return PredictionModel::tr("the host: it gives no more work");
    }
    return {};
}

QString SettingScale::wordsOf(std::size_t step) const {
    const double v = values[step];
    switch (setting) {
    case SettingName::block_size:
    case SettingName::max_burst_length:
    case SettingName::first_burst_length:
    case SettingName::window:
        return QString::fromStdString(human::block(static_cast<std::uint64_t>(std::llround(v))));
    case SettingName::delay:
        return durationWords(std::llround(v));
    case SettingName::loss:
        return v > 0 ? QString("%1 %").arg(v * 100, 0, 'g', 3) : PredictionModel::tr("none");
    case SettingName::initial_r2t:
    case SettingName::immediate_data:
    case SettingName::phase_collapse:
    case SettingName::no_delay:
        return v > 0.5 ? PredictionModel::tr("yes") : PredictionModel::tr("no");
    default:
        return QString::number(v, 'g', 4);
    }
}

PredictionModel::PredictionModel(Document &document, QObject *parent)
    : QObject(parent), document_(document), report_(document.snapshot()->report) {
    connect(
        &document, &Document::snapshotChanged, this,
        [this] {
            report_ = document_.snapshot()->report;
            row_ = 0;
            makeScales();
        });
}

void PredictionModel::setRow(int row) {
    if (row >= 0 && row < static_cast<int>(rows().size()) && row != row_) {
        row_ = row;
        makeScales();
    }
}

void PredictionModel::makeScales() {
    settings_.clear();
    if (!rows().empty()) {
        const ModelInput &in = rows()[static_cast<std::size_t>(row_)].input;
        settings_.push_back(
            scaleOf(SettingName::block_size, tr("Block size"), powers(4096, 16 << 20), std::round(in.block)));
        settings_.push_back(
            scaleOf(SettingName::depth, tr("Outstanding commands"), powers(1, 256), in.depth));
        settings_.push_back(
            scaleOf(SettingName::connections, tr("Connections"), {1, 2, 3, 4, 6, 8, 12, 16}, in.connections));
        if (in.rtt_known) {
            settings_.push_back(scaleOf(SettingName::delay, tr("Delay, one way"), powers(1e4, 256e6),
                                        std::round(in.rtt / 2)));
        }
        if (in.type == TaskType::write) {
            if (in.burst > 0) {
                settings_.push_back(scaleOf(SettingName::max_burst_length, tr("MaxBurstLength"),
                                            powers(4096, 16 << 20), in.burst));
            }
            settings_.push_back(scaleOf(SettingName::max_outstanding_r2t, tr("MaxOutstandingR2T"),
                                        powers(1, 64), in.r2ts_outstanding));
        }
        if (in.window) {
            settings_.push_back(
                scaleOf(SettingName::window, tr("TCP window"), powers(16384, 64 << 20), *in.window));
        }
        settings_.push_back(scaleOf(SettingName::loss, tr("Packet loss"),
                                    {0, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2},
                                    in.loss.value_or(0)));
    }
    reset();
    emit scalesChanged();
}

void PredictionModel::reset() {
    steps_.clear();
    for (const SettingScale &l : settings_)
        steps_.push_back(l.present);
    predictNow();
}

void PredictionModel::setStep(std::size_t setting, std::size_t step) {
    if (setting < steps_.size() && step < settings_[setting].values.size() && steps_[setting] != step) {
        steps_[setting] = step;
        predictNow();
    }
}

std::vector<Change> PredictionModel::changes() const {
    std::vector<Change> list;
    for (std::size_t i = 0; i < settings_.size(); ++i)
        if (steps_[i] != settings_[i].present)
            list.push_back({settings_[i].setting, settings_[i].values[steps_[i]]});
    return list;
}

void PredictionModel::predictNow() {
    prediction_.reset();
    if (!rows().empty()) {
        const auto list = changes();
        prediction_ = predict(rows()[static_cast<std::size_t>(row_)].input, list);
    }
    emit predictionChanged();
}

} // namespace iscsiscope::gui
