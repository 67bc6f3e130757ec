// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/experiment/model_view.h"

#include "gui/models/words.h"
#include "gui/views/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QTableWidget>
#include <qcustomplot.h>

namespace iscsiscope::gui {

ModelView::ModelView(Document &document, QWidget *parent)
    : QWidget(parent), model_(document), type_(new QComboBox), sliders_(new QWidget),
      form_(new QFormLayout(sliders_)), notes_(new QLabel), summary_(new QLabel), best_(new QLabel),
      remarks_(new QLabel), command_(new QLineEdit), plot_(new QCustomPlot), keys_(new QTableWidget(0, 5)) {
    type_->setAccessibleName(tr("Reads or Writes"));
    summary_->setObjectName("prediction");
    summary_->setAccessibleName(tr("Measured, modelled and predicted throughput"));
    summary_->setTextFormat(Qt::RichText);
    best_->setObjectName("bestValue");
    best_->setAccessibleName(tr("Which value is best"));
    best_->setTextFormat(Qt::RichText);
    notes_->setObjectName("settingNotes");
    notes_->setAccessibleName(tr("Settings that contradict each other"));
    for (QLabel *l : {summary_, best_, remarks_, notes_}) {
        l->setWordWrap(true);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    remarks_->setAccessibleName(tr("What the prediction rests on"));
    command_->setReadOnly(true);
    command_->setAccessibleName(tr("The same on the command line"));
    command_->setToolTip(tr("The same prediction on the command line, to copy"));
    command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    plot_->setAccessibleName(tr("Parts of a cycle, modelled and predicted"));
    plot_->setFocusPolicy(Qt::NoFocus);
    plot_->setMinimumHeight(108);
    keys_->setObjectName("keys");
    keys_->setAccessibleName(tr("Settings, their best values and what these gain"));
    keys_->setHorizontalHeaderLabels({tr("Setting"), tr("Set to"), tr("Best value"), tr("Gains"), tr("Why")});
    keys_->verticalHeader()->hide();
    keys_->horizontalHeader()->setStretchLastSection(true);
    keys_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    keys_->setSelectionBehavior(QAbstractItemView::SelectRows);
    keys_->setWordWrap(false); // the whole reason is in the tip
    keys_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    keys_->setMinimumHeight(54);
    auto *again = new QPushButton(tr("As measured"));
    again->setToolTip(tr("All settings back to what was measured"));
    connect(again, &QPushButton::clicked, this, [this] {
        model_.reset();
        rebuildSliders();
    });
    auto *inner = new QWidget;
    auto *settingLayout = new QVBoxLayout(inner);
    settingLayout->setContentsMargins(6, 6, 6, 6);
    settingLayout->addWidget(type_);
    settingLayout->addWidget(sliders_);
    settingLayout->addWidget(notes_);
    settingLayout->addWidget(again, 0, Qt::AlignRight);
    settingLayout->addStretch(1);
    auto *scroll = new QScrollArea;
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *settings = new QGroupBox(tr("What if (whole capture)"));
    settings->setToolTip(tr("The model is of the whole capture: range and filters do not apply to it."));
    auto *around = new QVBoxLayout(settings);
    around->setContentsMargins(0, 0, 0, 0);
    around->addWidget(scroll);
    settings->setMinimumWidth(370);
    auto *result = new QGroupBox(tr("Throughput and one cycle"));
    auto *resultLayout = new QVBoxLayout(result);
    resultLayout->addWidget(summary_);
    resultLayout->addWidget(best_);
    resultLayout->addWidget(plot_, 1);
    resultLayout->addWidget(remarks_);
    resultLayout->addWidget(command_);
    auto *bindings = new QGroupBox(tr("What the best value of each setting would give from here"));
    auto *bindingLayout = new QVBoxLayout(bindings);
    bindingLayout->addWidget(keys_);
    auto *right = new QSplitter(Qt::Vertical);
    right->setObjectName("modelRight");
    right->addWidget(result);
    right->addWidget(bindings);
    right->setSizes({420, 280});
    right->setMinimumWidth(360); // on a narrow screen the table scrolls
    auto *split = new QSplitter;
    split->setObjectName("modelSplit");
    split->addWidget(settings);
    split->addWidget(right);
    split->setStretchFactor(1, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(split);
    connect(type_, &QComboBox::activated, &model_, &PredictionModel::setRow);
    connect(&model_, &PredictionModel::scalesChanged, this, &ModelView::rebuildSliders);
    connect(&model_, &PredictionModel::predictionChanged, this, &ModelView::showPrediction);
    rebuildSliders();
    showPrediction();
}

QSlider *ModelView::slider(SettingName setting) const {
    for (std::size_t i = 0; i < sliderOf_.size(); ++i)
        if (model_.settings()[i].setting == setting)
            return sliderOf_[i];
    return nullptr;
}

QCheckBox *ModelView::switchOf(SettingName setting) const {
    for (std::size_t i = 0; i < switchOf_.size(); ++i)
        if (model_.settings()[i].setting == setting)
            return switchOf_[i];
    return nullptr;
}

void ModelView::rebuildSliders() {
    type_->clear();
    for (const ModelRow &row : model_.rows())
        type_->addItem(row.input.type == TaskType::read ? tr("Reads") : tr("Writes"));
    type_->setCurrentIndex(model_.row());
    type_->setEnabled(model_.rows().size() > 1);
    while (form_->rowCount() > 0)
        form_->removeRow(0);
    sliderOf_.clear();
    switchOf_.clear();
    values_.clear();
    names_.clear();
    for (std::size_t i = 0; i < model_.settings().size(); ++i)
        if (model_.settings()[i].isSwitch)
            addSwitch(i);
        else
            addSlider(i);
    showSettings();
}

void ModelView::addSlider(std::size_t i) {
    const SettingScale &setting = model_.settings()[i];
    auto *slider = new QSlider(Qt::Horizontal);
    slider->setRange(0, static_cast<int>(setting.values.size()) - 1);
    slider->setPageStep(1);
    slider->setValue(static_cast<int>(model_.step(i)));
    slider->setTickPosition(QSlider::TicksBelow);
    slider->setAccessibleName(setting.title);
    slider->setToolTip(meaningOf("set." + std::string(name(setting.setting))));
    auto *value = new QLabel;
    value->setMinimumWidth(fontMetrics().horizontalAdvance("16 connections "));
    value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto *line = new QWidget;
    auto *lineLayout = new QHBoxLayout(line);
    lineLayout->setContentsMargins(0, 0, 0, 0);
    lineLayout->addWidget(slider, 1);
    lineLayout->addWidget(value);
    auto *title = new QLabel(setting.title);
    title->setToolTip(slider->toolTip());
    title->setBuddy(slider);
    form_->addRow(title, line);
    sliderOf_.push_back(slider);
    switchOf_.push_back(nullptr);
    values_.push_back(value);
    names_.push_back(title);
    connect(slider, &QSlider::valueChanged, this,
            [this, i](int v) { model_.setStep(i, static_cast<std::size_t>(v)); });
}

void ModelView::addSwitch(std::size_t i) {
    const SettingScale &setting = model_.settings()[i];
    auto *box = new QCheckBox;
    box->setChecked(model_.step(i) == 1);
    box->setAccessibleName(setting.title);
    box->setToolTip(meaningOf("set." + std::string(name(setting.setting))));
    auto *title = new QLabel(setting.title);
    title->setToolTip(box->toolTip());
    title->setBuddy(box);
    form_->addRow(title, box);
    sliderOf_.push_back(nullptr);
    switchOf_.push_back(box);
    values_.push_back(nullptr);
    names_.push_back(title);
    connect(box, &QCheckBox::toggled, this, [this, i](bool on) { model_.setStep(i, on ? 1 : 0); });
}

// The values beside the sliders; what was moved is bold.
void ModelView::showSettings() {
    for (std::size_t i = 0; i < names_.size() && i < model_.settings().size(); ++i) {
        const SettingScale &setting = model_.settings()[i];
        QFont f = font();
        f.setBold(model_.step(i) != setting.present);
        names_[i]->setFont(f);
        const QString text = setting.wordsOf(model_.step(i));
        if (values_[i] != nullptr) {
            values_[i]->setText(text);
            values_[i]->setFont(f);
            values_[i]->setToolTip(tr("In the capture: %1").arg(setting.wordsOf(setting.present)));
        } else {
            switchOf_[i]->setText(text);
            switchOf_[i]->setFont(f);
        }
    }
    notes_->setText(noteWords());
    notes_->setVisible(!notes_->text().isEmpty());
}

QString ModelView::noteWords() const {
    return model_.notes().join("\n");
}

void ModelView::showPrediction() {
    showSettings();
    const bool there = model_.prediction().has_value();
    plot_->setVisible(there);
    best_->setVisible(there);
    command_->setVisible(there);
    if (!there) {
        summary_->setText(tr("No Reads or Writes to model in this capture."));
        remarks_->clear();
        keys_->setRowCount(0);
        return;
    }
    showSummary();
    showParts();
    showKeys();
}

void ModelView::showSummary() {
    const Prediction &p = *model_.prediction();
    const ModelRow &row = model_.rows()[static_cast<std::size_t>(model_.row())];
    const ModelledCycle &now = row.cycle;
    const auto line = [](const QString &name, const QString &value, const QString &more) {
        return "<tr><td>" + name + "&nbsp;</td><td align=right><b>" + value.toHtmlEscaped() +
               "</b>&nbsp;</td><td>" + more.toHtmlEscaped() + "</td></tr>";
    };
    QString text = "<table>";
    text += line(tr("measured"), rateWords(p.measured),
                 tr("cycle %1").arg(durationWords(cutToNs(row.input.measured_cycle))));
    text += line(tr("modelled"), rateWords(p.modelled),
                 tr("cycle %1, %2 off the measured; limited by %3")
                     .arg(durationWords(cutToNs(p.before.total())), shareWords(std::abs(now.cycle_error)),
                          bottleneckWords(p.bottleneck_before)));
    if (!model_.changes().empty()) {
        const QString prefix = p.certainty == Certainty::at_least      ? tr("at least ")
                               : p.certainty == Certainty::beyond_seen ? tr("up to ")
                                                                       : QString();
        text += line(tr("predicted"), prefix + rateWords(p.predicted),
                     tr("between %1 and %2; limited by %3. %4")
                         .arg(rateWords(p.low), rateWords(p.high), bottleneckWords(p.bottleneck_after),
                              certaintyWords(p.certainty)));
    }
    summary_->setText(text + "</table>");
    summary_->setToolTip(tr("Between: %1.").arg(QString::fromStdString(p.interval)));
    best_->setText(bestWords());
    QStringList remarks;
    for (const std::string &r : p.remarks)
        remarks << QString::fromStdString(r);
    for (const std::string &r : now.left_out)
        remarks << QString::fromStdString(r);
    remarks_->setText(remarks.join(" "));
    remarks_->setVisible(!remarks.isEmpty());
    command_->setText(model_.commandLine());
    command_->setCursorPosition(0);
}

QString ModelView::bestLine(const BestValue &b) const {
    const QString title = b.setting ? settingTitle(*b.setting) : QString::fromStdString(b.verdict.key);
    QString text = tr("<b>%1 %2 → %3</b>, %4")
                       .arg(title.toHtmlEscaped(), QString::fromStdString(b.verdict.value).toHtmlEscaped(),
                            QString::fromStdString(b.verdict.best_words).toHtmlEscaped(),
                            QString::fromStdString(b.verdict.gain_words()).toHtmlEscaped());
    if (const auto p = model_.with(b)) {
        text += tr(": %1, between %2 and %3. %4")
                    .arg(rateWords(p->predicted), rateWords(p->low), rateWords(p->high),
                         certaintyWords(p->certainty).toHtmlEscaped());
    }
    return text;
}

QString ModelView::bestWords() const {
    if (!model_.judges())
        return tr("The model does not describe these cycles: it says nothing of settings here.");
    const BestValue *any = model_.best(false), *key = model_.best(true);
    if (any == nullptr)
        return tr("No single setting gives more than 1 % more from here.");
    QString text = tr("Best single change: %1").arg(bestLine(*any));
    if (key != nullptr && key != any)
        text += "<br>" + tr("Best key of the login: %1").arg(bestLine(*key));
    return text;
}

void ModelView::showParts() {
    const Prediction &p = *model_.prediction();
    const bool moved = !model_.changes().empty();
    plot_->clearPlottables();
    plot_->clearItems();
    struct Part {
        QString name;
        QColor color;
        double CycleParts::*member;
    };
    const Part parts[] = {{tr("round trips"), colorOf(GapKind::target_r2t), &CycleParts::round_trips},
                          {tr("held ACKs"), colorOf(GapKind::ack_held_status), &CycleParts::held},
                          {tr("service"), colorOf(GapKind::target_first_data), &CycleParts::service},
                          {tr("transfer"), colorOf(CycleFigure::data), &CycleParts::transfer},
                          {tr("host pauses"), colorOf(GapKind::initiator_idle), &CycleParts::think},
                          {tr("queued"), colorOf(GapKind::cwnd_limited), &CycleParts::queued}};
    QCPBars *below = nullptr;
    for (const Part &part : parts) {
        if (!(p.before.*part.member > 0) && !(moved && p.after.*part.member > 0))
            continue; // nothing to see, nor to explain
        auto *bars = new QCPBars(plot_->yAxis, plot_->xAxis);
        bars->setName(part.name);
        bars->setBrush(part.color);
        bars->setPen(Qt::NoPen);
        bars->setWidth(0.6);
        bars->addData(2, p.before.*part.member / 1e6);
        if (moved)
            bars->addData(1, p.after.*part.member / 1e6);
        if (below != nullptr)
            bars->moveAbove(below);
        below = bars;
    }
    QStringList tip;
    for (const Part &part : parts) {
        const auto time = [](double ns) { return durationWords(cutToNs(ns)); };
        tip << (moved ? tr("%1: %2, predicted %3")
                            .arg(part.name, time(p.before.*part.member), time(p.after.*part.member))
                      : tr("%1: %2").arg(part.name, time(p.before.*part.member)));
    }
    plot_->setToolTip(tip.join('\n'));
    const double most = std::max(p.before.total(), moved ? p.after.total() : 0.0) / 1e6;
    QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    names->addTick(2, tr("as it is"));
    if (moved)
        names->addTick(1, tr("predicted"));
    plot_->yAxis->setTicker(names);
    plot_->yAxis->setRange(moved ? 0.4 : 1.4, 2.6);
    plot_->yAxis->setTickLength(0);
    plot_->yAxis->setSubTicks(false);
    plot_->xAxis->setRange(0, most * 1.05);
    plot_->xAxis->setLabel(tr("one cycle, ms"));
    legendBelow(*plot_);
    plot_->legend->setVisible(true);
    applyTheme(*plot_, Theme::of(palette()));
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ModelView::showKeys() {
    keys_->setRowCount(0);
    if (!model_.judges())
        return;
    // What does not concern tasks of this type comes last.
    std::vector<const BestValue *> list;
    for (const bool concerns : {true, false})
        for (const BestValue &b : model_.bestValues())
            if (b.verdict.range.has_value() == concerns)
                list.push_back(&b);
    for (const BestValue *listed : list) {
        const BestValue &b = *listed;
        const KeyVerdict &k = b.verdict;
        const int row = keys_->rowCount();
        keys_->insertRow(row);
        const QStringList cells{b.setting && *b.setting != SettingName::connections
                                    ? settingTitle(*b.setting)
                                    : QString::fromStdString(k.key),
                                k.value.empty() ? tr("not known") : QString::fromStdString(k.value),
                                QString::fromStdString(k.best_of()),
                                !k.judged ? tr("not known")
                                : k.binds ? QString::fromStdString(k.gain_words())
                                          : tr("nothing"),
                                QString::fromStdString(k.reason)};
        for (int c = 0; c < cells.size(); ++c) {
            auto *item = new QTableWidgetItem(cells[c]);
            item->setToolTip(c == 0 ? meaningOf("set." + k.key) : cells[c]);
            if (k.binds) {
                QFont f = item->font();
                f.setBold(true);
                item->setFont(f);
            }
            keys_->setItem(row, c, item);
        }
    }
    for (int c = 0; c < 4; ++c)
        keys_->resizeColumnToContents(c);
    keys_->horizontalHeader()->setMinimumSectionSize(60);
}

void ModelView::changeEvent(QEvent *e) {
    QWidget::changeEvent(e);
    if (e->type() == QEvent::PaletteChange)
        showPrediction();
}

} // namespace iscsiscope::gui
