// SPDX-License-Identifier: GPL-2.0-or-later
// Settings of the model in words, and as the command line takes them.
#include "analyzer/base/number_format.h"
#include "analyzer/words/model_words.h"
#include "gui/models/experiment/prediction.h"
#include "gui/models/words.h"

#include <cmath>

namespace iscsiscope::gui {

QString bottleneckWords(Bottleneck b) {
    return words(iscsiscope::words(b));
}

QString certaintyWords(Certainty c) {
    return meaningOf("certainty." + std::string(name(c)));
}

QString settingTitle(SettingName s) {
    switch (s) {
    case SettingName::block_size:
        return PredictionModel::tr("Block size");
    case SettingName::depth:
        return PredictionModel::tr("Outstanding commands");
    case SettingName::connections:
        return PredictionModel::tr("Connections");
    case SettingName::delay:
        return PredictionModel::tr("Delay, one way");
    case SettingName::window:
        return PredictionModel::tr("TCP window");
    case SettingName::loss:
        return PredictionModel::tr("Packet loss");
    case SettingName::phase_collapse:
        return PredictionModel::tr("Status in the last Data-In");
    case SettingName::max_burst_length:
    case SettingName::first_burst_length:
    case SettingName::initial_r2t:
    case SettingName::immediate_data:
    case SettingName::max_outstanding_r2t:
    case SettingName::no_delay:
        break;
    }
    return words(name(s));
}

QString SettingScale::wordsOf(std::size_t step) const {
    const double v = values[step];
    const auto counted = [v](const QString &one, const QString &many) {
        return QString::number(v, 'g', 4) + " " + (v == 1 ? one : many);
    };
    switch (setting) {
    case SettingName::block_size:
    case SettingName::max_burst_length:
    case SettingName::first_burst_length:
    case SettingName::window:
        return QString::fromStdString(human::block(static_cast<std::uint64_t>(std::llround(v))));
    case SettingName::delay:
        return durationWords(Duration{std::llround(v)});
    case SettingName::loss:
        return v > 0 ? QString("%1 %").arg(v * 100, 0, 'g', 3) : PredictionModel::tr("0 %");
    case SettingName::initial_r2t:
    case SettingName::immediate_data:
    case SettingName::phase_collapse:
    case SettingName::no_delay:
        return v > 0.5 ? PredictionModel::tr("Yes") : PredictionModel::tr("No");
    case SettingName::max_outstanding_r2t:
        return counted(PredictionModel::tr("R2T"), PredictionModel::tr("R2Ts"));
    case SettingName::depth:
        return counted(PredictionModel::tr("command"), PredictionModel::tr("commands"));
    case SettingName::connections:
        return counted(PredictionModel::tr("connection"), PredictionModel::tr("connections"));
    }
    return {};
}

QString settingArgument(const Change &c) {
    const auto whole = [&c] { return QString::number(std::llround(c.value)); };
    QString value;
    switch (c.setting) {
    case SettingName::delay:
        value = whole() + "ns";
        break;
    case SettingName::loss:
        value = QString::number(c.value, 'g', 17);
        break;
    case SettingName::initial_r2t:
    case SettingName::immediate_data:
    case SettingName::phase_collapse:
    case SettingName::no_delay:
        value = c.value > 0.5 ? "Yes" : "No";
        break;
    default:
        value = whole();
    }
    return words(name(c.setting)) + "=" + value;
}

} // namespace iscsiscope::gui
