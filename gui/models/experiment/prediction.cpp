// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/experiment/prediction.h"

#include "analyzer/base/number_format.h"
#include "analyzer/model/what_if.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::gui {
namespace {

std::vector<double> powers(double from, double to) {
    std::vector<double> v;
    for (double x = from; x <= to * 1.0001; x *= 2)
        v.push_back(x);
    return v;
}

// The scale with what is in force in its place, so that not moving a setting changes nothing.
SettingScale scaleOf(SettingName setting, std::vector<double> values, double present) {
    if (std::find(values.begin(), values.end(), present) == values.end()) {
        values.push_back(present);
        std::sort(values.begin(), values.end());
    }
    SettingScale s{setting, settingTitle(setting), std::move(values), 0, false};
    s.present =
        static_cast<std::size_t>(std::find(s.values.begin(), s.values.end(), present) - s.values.begin());
    return s;
}

SettingScale switchOf(SettingName setting, bool present) {
    return {setting, settingTitle(setting), {0, 1}, present ? std::size_t{1} : 0, true};
}

// Burst lengths go up to 2^24 - 1 (RFC 7143 sections 13.13 and 13.14).
std::vector<double> burstLengths() {
    std::vector<double> v = powers(512, 8 << 20);
    v.push_back(16777215);
    return v;
}

constexpr std::array allSettings = {SettingName::block_size,
                                    SettingName::max_burst_length,
                                    SettingName::first_burst_length,
                                    SettingName::initial_r2t,
                                    SettingName::immediate_data,
                                    SettingName::max_outstanding_r2t,
                                    SettingName::depth,
                                    SettingName::connections,
                                    SettingName::window,
                                    SettingName::delay,
                                    SettingName::loss,
                                    SettingName::phase_collapse,
                                    SettingName::no_delay};

std::optional<SettingName> settingOf(const KeyVerdict &v) {
    if (v.key == "MaxConnections")
        return SettingName::connections;
    for (const SettingName s : allSettings)
        if (name(s) == v.key)
            return s;
    return std::nullopt;
}

bool isLoginKey(const KeyVerdict &v) {
    return v.key.starts_with("Max") || v.key.starts_with("First") || v.key.starts_with("Initial") ||
           v.key.starts_with("Immediate");
}

} // namespace

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
        const OperationalParameters keys = keys_taken(in);
        settings_.push_back(scaleOf(SettingName::block_size, powers(4096, 16 << 20), std::round(in.block)));
        settings_.push_back(scaleOf(SettingName::depth, powers(1, 256), in.depth));
        settings_.push_back(scaleOf(SettingName::connections, {1, 2, 3, 4, 6, 8, 12, 16}, in.connections));
        if (in.rtt_known)
            settings_.push_back(scaleOf(SettingName::delay, powers(1e4, 256e6), std::round(in.rtt / 2)));
        if (in.type == TaskType::write) {
            settings_.push_back(
                scaleOf(SettingName::max_burst_length, burstLengths(), keys.max_burst_length));
            settings_.push_back(
                scaleOf(SettingName::first_burst_length, burstLengths(), keys.first_burst_length));
            const bool stated = in.keys_known.has(Parameter::max_outstanding_r2t);
            settings_.push_back(scaleOf(SettingName::max_outstanding_r2t, powers(1, 64),
                                        stated ? in.keys.max_outstanding_r2t : in.r2ts_outstanding));
        }
        if (in.window)
            settings_.push_back(scaleOf(SettingName::window, powers(16384, 64 << 20), *in.window));
        settings_.push_back(scaleOf(SettingName::loss, {0, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2},
                                    in.loss.value_or(0)));
        if (in.type == TaskType::write) {
            settings_.push_back(switchOf(SettingName::initial_r2t, keys.initial_r2t));
            settings_.push_back(switchOf(SettingName::immediate_data, keys.immediate_data));
        } else {
            settings_.push_back(switchOf(SettingName::phase_collapse, in.phase_collapse));
        }
        if (in.held_acks)
            settings_.push_back(switchOf(SettingName::no_delay, false));
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
    bestValues_.clear();
    if (!rows().empty()) {
        const auto list = changes();
        prediction_ = predict(rows()[static_cast<std::size_t>(row_)].input, list);
        findBestValues();
    }
    emit predictionChanged();
}

void PredictionModel::findBestValues() {
    const ModelInput &in = rows()[static_cast<std::size_t>(row_)].input;
    const std::vector<Change> moved = changes();
    for (const KeyVerdict &measured : prediction_->keys) {
        BestValue b{measured, settingOf(measured), isLoginKey(measured)};
        const bool asMeasured = moved.empty() || !b.setting || !measured.range || !measured.judged;
        if (!asMeasured) {
            // As key_verdicts() does it, from the settings as they are set now.
            KeyVerdict &v = b.verdict;
            std::vector<Change> tried;
            for (const Change &c : moved)
                if (c.setting == *b.setting)
                    v.value = value_words(c.setting, c.value);
                else
                    tried.push_back(c);
            tried.push_back({*b.setting, 0});
            v.gain = 0;
            v.best.reset();
            for (const double value : tried_values(*b.setting, in)) {
                tried.back().value = value;
                const Forecast f = forecast(in, keys_taken(in), tried);
                const double gain =
                    ratio(f.result.throughput - prediction_->predicted, prediction_->predicted);
                if (gain <= v.gain + 1e-9)
                    continue;
                v.gain = gain;
                v.best = value;
                v.certainty = f.certainty;
            }
            v.best_words = v.best ? value_words(*b.setting, *v.best) : std::string();
            v.binds = v.gain > 0.01;
            v.reason = v.binds ? fmt::format("{} → {}: {}", v.value, v.best_words, v.gain_words())
                               : "no value of it gives more with the other settings as they are set";
        }
        bestValues_.push_back(std::move(b));
    }
}

bool PredictionModel::judges() const {
    return !rows().empty() && rows()[static_cast<std::size_t>(row_)].cycle.describes_measured();
}

const BestValue *PredictionModel::best(bool keysOnly) const {
    const BestValue *found = nullptr;
    if (!judges())
        return found;
    for (const BestValue &b : bestValues_)
        if (b.verdict.binds && (!keysOnly || b.isKey) &&
            (found == nullptr || b.verdict.gain > found->verdict.gain + 1e-9))
            found = &b;
    return found;
}

std::optional<Prediction> PredictionModel::with(const BestValue &b) const {
    if (!b.setting || !b.verdict.best || rows().empty())
        return std::nullopt;
    std::vector<Change> list = changes();
    std::erase_if(list, [&](const Change &c) { return c.setting == *b.setting; });
    list.push_back({*b.setting, *b.verdict.best});
    return predict(rows()[static_cast<std::size_t>(row_)].input, list);
}

std::optional<double> PredictionModel::valueOf(SettingName setting) const {
    for (std::size_t i = 0; i < settings_.size(); ++i)
        if (settings_[i].setting == setting)
            return settings_[i].values[steps_[i]];
    return std::nullopt;
}

QStringList PredictionModel::notes() const {
    QStringList list;
    const auto initialR2t = valueOf(SettingName::initial_r2t),
               immediate = valueOf(SettingName::immediate_data),
               first = valueOf(SettingName::first_burst_length),
               most = valueOf(SettingName::max_burst_length), block = valueOf(SettingName::block_size),
               open = valueOf(SettingName::max_outstanding_r2t);
    if (!initialR2t || !immediate || !first || !most)
        return list; // Reads
    const auto size = [](double v) {
        return QString::fromStdString(human::block(static_cast<std::uint64_t>(v)));
    };
    if (*first > *most) {
        list << tr("FirstBurstLength (%1) must not exceed MaxBurstLength (%2): a login with both is refused "
                   "(RFC 7143 section 13.14).")
                    .arg(size(*first), size(*most));
    }
    if (*initialR2t > 0.5 && *immediate < 0.5) {
        list << tr(
            "InitialR2T=Yes with ImmediateData=No: a Write sends nothing before its first R2T, so that "
            "FirstBurstLength has no effect.");
    } else if (*initialR2t > 0.5) {
        list << tr(
            "InitialR2T=Yes: only immediate data goes before the first R2T, at most FirstBurstLength and "
            "one data segment of the target.");
    } else if (*immediate < 0.5) {
        list << tr("ImmediateData=No: what goes before the first R2T are Data-Out PDUs of their own.");
    }
    if (block && open && *open > 1 && *block <= *most)
        list << tr("One R2T can ask for all of a Write of %1: MaxOutstandingR2T has no effect.")
                    .arg(size(*block));
    return list;
}

QString PredictionModel::commandLine() const {
    const QStringList &files = document_.snapshot()->files;
    if (files.size() != 1 || rows().empty())
        return {};
    QString text = "iscsiscope predict '" + QString(files.front()).replace("'", "'\\''") + "'";
    for (const Change &c : changes())
        text += " --set " + settingArgument(c);
    return text;
}

} // namespace iscsiscope::gui
