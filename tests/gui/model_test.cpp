// SPDX-License-Identifier: GPL-2.0-or-later
// The model view: its predictions equal those of `iscsiscope predict` with the same settings, it names the
// best value and how sure that is, and explains what does not go together.
#include "analyzer/model/what_if.h"
#include "analyzer/words/model_words.h"
#include "catch.h"
#include "gui/models/experiment/prediction.h"
#include "gui/models/words.h"
#include "gui/views/experiment/model_view.h"
#include "gui/window/main_window.h"
#include "support.h"
#include "tests/support/live.h"

#include <QCheckBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QSlider>
#include <QTableWidget>
#include <QTest>

#include <cstdio>
#include <set>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

const char *const pingPong = "r2t-ping-pong.initiator.pcapng.zst";

// The prediction of the command line for reads or writes.
QJsonObject predicted(const QString &file, TaskType type, const std::vector<Change> &changes) {
    QStringList arguments{"predict", file, "--format", "json"};
    for (const Change &c : changes)
        arguments << "--set" << settingArgument(c);
    const QJsonObject all = QJsonDocument::fromJson(commandLine(arguments)).object();
    for (const QJsonValue &one : all.value("predictions").toArray())
        if (one.toObject().value("type").toString() == words(name(type)))
            return one.toObject();
    return {};
}

void sameNumber(double here, const QJsonValue &there) {
    REQUIRE(there.isDouble());
    CHECK(here == Approx(there.toDouble()).epsilon(1e-12));
}

void samePrediction(const Prediction &p, const QJsonObject &there) {
    sameNumber(p.measured, there.value("measured"));
    sameNumber(p.modelled, there.value("modelled"));
    sameNumber(p.predicted, there.value("predicted"));
    sameNumber(p.low, there.value("low"));
    sameNumber(p.high, there.value("high"));
    CHECK(words(name(p.certainty)) == there.value("certainty").toString());
    CHECK(words(name(p.bottleneck_after)) == there.value("bottleneck_after").toString());
}

std::optional<std::size_t> placeOf(const PredictionModel &m, SettingName s) {
    for (std::size_t i = 0; i < m.settings().size(); ++i)
        if (m.settings()[i].setting == s)
            return i;
    return std::nullopt;
}

void set(PredictionModel &m, SettingName s, std::size_t step) {
    const auto i = placeOf(m, s);
    REQUIRE(i.has_value());
    m.setStep(*i, std::min(step, m.settings()[*i].values.size() - 1));
}

} // namespace

TEST_CASE("Predictions equal the command line's for the same settings") {
    std::size_t runs = 0, captures = 0;
    QStringList files{sample(pingPong), sample("delayed-ack.initiator.pcapng.zst"),
                      sample("tgt-qemu.pcapng.zst"), sample("unsolicited-data.initiator.pcapng.zst")};
    for (const QString &real : realCaptures())
        if (real.contains("b_write") || real.contains("i_randread") || real.contains("d_write"))
            files << real;
    for (const QString &file : files) {
        INFO(file.toStdString());
        Document d;
        d.setRemembers(false);
        PredictionModel model(d);
        REQUIRE(openAndWait(d, {file}));
        captures += model.rows().empty() ? 0 : 1;
        for (int row = 0; row < static_cast<int>(model.rows().size()); ++row) {
            model.setRow(row);
            const TaskType type = model.rows()[static_cast<std::size_t>(row)].input.type;
            samePrediction(*model.prediction(), predicted(file, type, {}));
            // Every setting by itself, to either end, then all of them together.
            for (std::size_t i = 0; i < model.settings().size(); ++i) {
                model.reset();
                const SettingScale &s = model.settings()[i];
                model.setStep(i, s.present + 1 < s.values.size() ? s.values.size() - 1 : 0);
                REQUIRE(model.changes().size() == 1);
                INFO(settingArgument(model.changes().front()).toStdString());
                samePrediction(*model.prediction(), predicted(file, type, model.changes()));
                ++runs;
            }
            model.reset();
            for (std::size_t i = 0; i < model.settings().size(); ++i)
                model.setStep(i, model.settings()[i].present > 0 ? model.settings()[i].present - 1 : 1);
            samePrediction(*model.prediction(), predicted(file, type, model.changes()));
        }
    }
    std::printf("FIGURE: predictions that equal `predict --set`: %zu of %zu captures\n", runs, captures);
    CHECK(runs > 20);
}

TEST_CASE("The table of best values is predict's, and follows the sliders") {
    Document d;
    d.setRemembers(false);
    PredictionModel model(d);
    REQUIRE(openAndWait(d, {sample(pingPong)}));
    REQUIRE_FALSE(model.rows().empty());
    const ModelInput &in = model.rows().front().input;
    REQUIRE(in.type == TaskType::write);
    const auto same = [](const KeyVerdict &a, const KeyVerdict &b) {
        return a.key == b.key && a.value == b.value && a.binds == b.binds && a.gain == b.gain &&
               a.best_words == b.best_words && a.reason == b.reason;
    };
    const std::vector<KeyVerdict> measured = key_verdicts(in);
    REQUIRE(model.bestValues().size() == measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i)
        CHECK(same(model.bestValues()[i].verdict, measured[i]));
    const BestValue *best = model.best(false);
    REQUIRE(best != nullptr);
    for (const BestValue &b : model.bestValues())
        CHECK(b.verdict.gain <= best->verdict.gain + 1e-9);
    REQUIRE(model.best(true) != nullptr);
    CHECK(model.best(true)->isKey);
    // The value named gives what is said.
    const auto with = model.with(*best);
    REQUIRE(with.has_value());
    CHECK(with->predicted / with->measured - 1 == Approx(best->verdict.gain));
    // Moved there, this setting has nothing more to give, and no verdict gives less than its slider's value
    // does.
    const SettingName taken = *model.best(true)->setting;
    const double before = model.prediction()->predicted;
    const double value = *model.best(true)->verdict.best;
    const auto place = placeOf(model, taken);
    REQUIRE(place.has_value());
    const auto &values = model.settings()[*place].values;
    const auto at = std::lower_bound(values.begin(), values.end(), value);
    model.setStep(*place, static_cast<std::size_t>(std::min(at, values.end() - 1) - values.begin()));
    CHECK(model.prediction()->predicted > before);
    for (const BestValue &b : model.bestValues()) {
        if (b.setting == taken)
            CHECK(b.verdict.value == value_words(taken, values[model.step(*place)]));
        double most = 0; // that any value gives, by the function that predict() rests on
        std::vector<Change> tried = model.changes();
        std::erase_if(tried, [&](const Change &c) { return c.setting == b.setting; });
        for (const double other : b.setting ? tried_values(*b.setting, in) : std::vector<double>{}) {
            tried.push_back({*b.setting, other});
            most = std::max(
                most,
                forecast(in, keys_taken(in), tried).result.throughput / model.prediction()->predicted - 1);
            tried.pop_back();
        }
        if (b.setting && b.verdict.judged)
            CHECK(b.verdict.gain == Approx(most).margin(1e-6));
        const auto more = model.with(b);
        if (more && b.verdict.binds)
            CHECK(more->predicted / model.prediction()->predicted - 1 == Approx(b.verdict.gain));
    }
}

TEST_CASE("Combinations of the login's keys that do not go together are explained") {
    Document d;
    d.setRemembers(false);
    PredictionModel model(d);
    REQUIRE(openAndWait(d, {sample(pingPong)}));
    REQUIRE(placeOf(model, SettingName::initial_r2t).has_value());
    const auto said = [&](const char *what) { return model.notes().join(" ").contains(what); };
    set(model, SettingName::max_burst_length, 0);
    set(model, SettingName::first_burst_length, 1000);
    CHECK(said("must not exceed MaxBurstLength"));
    set(model, SettingName::max_burst_length, 1000);
    CHECK_FALSE(said("must not exceed"));
    set(model, SettingName::initial_r2t, 1);
    set(model, SettingName::immediate_data, 0);
    CHECK(said("FirstBurstLength has no effect"));
    set(model, SettingName::immediate_data, 1);
    CHECK_FALSE(said("FirstBurstLength has no effect"));
    CHECK(said("only immediate data"));
    set(model, SettingName::initial_r2t, 0);
    CHECK_FALSE(said("only immediate data"));
    set(model, SettingName::max_outstanding_r2t, 3);
    CHECK(said("MaxOutstandingR2T has no effect"));
}

TEST_CASE("The model view has words and units, switches, and tells what is best") {
    MainWindow w;
    w.document().setRemembers(false);
    w.resize(1200, 800);
    w.show();
    w.showView("model");
    w.open({sample(pingPong)});
    REQUIRE(settled(w.document()));
    ModelView &view = w.model();
    PredictionModel &model = view.prediction();
    for (std::size_t i = 0; i < model.settings().size(); ++i) {
        const SettingScale &s = model.settings()[i];
        INFO(s.title.toStdString());
        CHECK((view.slider(s.setting) == nullptr) == s.isSwitch);
        CHECK((view.switchOf(s.setting) != nullptr) == s.isSwitch);
        for (std::size_t step = 0; step < s.values.size(); ++step)
            CHECK((s.isSwitch || s.wordsOf(step).contains(' '))); // a number and its unit
    }
    REQUIRE(view.switchOf(SettingName::initial_r2t) != nullptr);
    REQUIRE(view.switchOf(SettingName::immediate_data) != nullptr);
    const QString best = view.bestWords();
    CHECK(best.contains("Best single change"));
    CHECK(best.contains("between"));
    REQUIRE(model.best(false) != nullptr);
    CHECK(best.contains(QString::fromStdString(model.best(false)->verdict.best_words)));
    CHECK(best.contains(certaintyWords(model.with(*model.best(false))->certainty)));
    // Words, never identifiers.
    for (const Bottleneck b : {Bottleneck::latency, Bottleneck::path_rate, Bottleneck::window,
                               Bottleneck::loss, Bottleneck::host}) {
        CHECK(bottleneckWords(b).toStdString() == std::string(iscsiscope::words(b)));
        CHECK_FALSE(bottleneckWords(b).contains('_'));
    }
    const auto *summary = view.findChild<QLabel *>("prediction");
    REQUIRE(summary != nullptr);
    const QString before = summary->text();
    CHECK(before.contains("limited by"));
    const QString table = view.keys().item(0, 3)->text() + view.keys().item(4, 3)->text();
    QTest::mouseClick(view.switchOf(SettingName::initial_r2t), Qt::LeftButton, Qt::NoModifier, QPoint(8, 8));
    CHECK(model.changes().size() == 1);
    CHECK(summary->text() != before);
    CHECK(summary->text().contains("predicted"));
    CHECK(model.commandLine().contains("--set InitialR2T="));
    auto *depth = view.slider(SettingName::depth);
    REQUIRE(depth != nullptr);
    depth->setValue(depth->maximum());
    CHECK(model.changes().size() == 2);
    CHECK(view.keys().item(0, 3)->text() + view.keys().item(4, 3)->text() != table);
}

TEST_CASE("A slider's move is predicted within a frame") {
    Document d;
    d.setRemembers(false);
    PredictionModel model(d);
    REQUIRE(openAndWait(d, {sample(pingPong)}));
    const auto depth = placeOf(model, SettingName::depth);
    REQUIRE(depth.has_value());
    double longest = 0;
    for (int i = 0; i < 20; ++i) {
        const double before = iscsiscope::test::thread_seconds();
        model.setStep(*depth, static_cast<std::size_t>(i) % model.settings()[*depth].values.size());
        longest = std::max(longest, iscsiscope::test::thread_seconds() - before);
    }
    std::printf(
        "FIGURE: a slider's move is predicted, with all best values, in at most %.1f ms of processor\n",
        longest * 1e3);
    CHECK(longest < 0.060);
}
