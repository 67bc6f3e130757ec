// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/experiment/model_view.h"

#include "gui/models/words.h"
#include "gui/views/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSplitter>
#include <QTableWidget>
#include <qcustomplot.h>

namespace iscsiscope::gui {

ModelView::ModelView(Document &document, QWidget *parent)
    : QWidget(parent), model_(document), type_(new QComboBox), sliders_(new QWidget),
      form_(new QFormLayout(sliders_)), summary_(new QLabel), remarks_(new QLabel), plot_(new QCustomPlot),
      keys_(new QTableWidget(0, 4)) {
    type_->setAccessibleName(tr("Reads or Writes"));
    summary_->setObjectName("prediction");
    summary_->setAccessibleName(tr("Measured, modelled and predicted throughput"));
    summary_->setTextFormat(Qt::RichText);
    for (QLabel *l : {summary_, remarks_}) {
        l->setWordWrap(true);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    remarks_->setAccessibleName(tr("What the prediction rests on"));
    plot_->setAccessibleName(tr("Parts of a cycle, modelled and predicted"));
    plot_->setFocusPolicy(Qt::NoFocus);
    plot_->setMinimumHeight(170);
    keys_->setObjectName("keys");
    keys_->setAccessibleName(tr("Settings and whether they bind"));
    keys_->setHorizontalHeaderLabels({tr("Setting"), tr("In force"), tr("Binds"), tr("Why")});
    keys_->verticalHeader()->hide();
    keys_->horizontalHeader()->setStretchLastSection(true);
    keys_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    keys_->setSelectionBehavior(QAbstractItemView::SelectRows);
    keys_->setWordWrap(true);
    auto *again = new QPushButton(tr("As measured"));
    again->setToolTip(tr("All sliders back to what was measured"));
    connect(again, &QPushButton::clicked, this, [this] {
        model_.reset();
        rebuildSliders();
    });
    auto *settings = new QGroupBox(tr("What if"));
    auto *settingLayout = new QVBoxLayout(settings);
    settingLayout->addWidget(type_);
    settingLayout->addWidget(sliders_);
    settingLayout->addWidget(again, 0, Qt::AlignRight);
    settingLayout->addStretch(1);
    settings->setMinimumWidth(360);
    auto *result = new QGroupBox(tr("Throughput and one cycle"));
    auto *resultLayout = new QVBoxLayout(result);
    resultLayout->addWidget(summary_);
    resultLayout->addWidget(plot_, 1);
    resultLayout->addWidget(remarks_);
    auto *bindings = new QGroupBox(tr("Which setting holds it back"));
    auto *bindingLayout = new QVBoxLayout(bindings);
    bindingLayout->addWidget(keys_);
    auto *right = new QSplitter(Qt::Vertical);
    right->addWidget(result);
    right->addWidget(bindings);
    right->setSizes({420, 280});
    right->setMinimumWidth(360); // on a narrow screen the table scrolls
    auto *split = new QSplitter;
    split->addWidget(settings);
    split->addWidget(right);
    split->setStretchFactor(1, 1);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(split);
    connect(type_, &QComboBox::activated, &model_, &PredictionModel::setRow);
    connect(&model_, &PredictionModel::scalesChanged, this, &ModelView::rebuildSliders);
    connect(&model_, &PredictionModel::predictionChanged, this, &ModelView::showPrediction);
    rebuildSliders();
    showPrediction();
}

QSlider *ModelView::slider(SettingName setting) const {
    for (std::size_t i = 0; i < list_.size(); ++i)
        if (model_.settings()[i].setting == setting)
            return list_[i];
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
    list_.clear();
    values_.clear();
    for (std::size_t i = 0; i < model_.settings().size(); ++i) {
        const SettingScale &setting = model_.settings()[i];
        auto *slider = new QSlider(Qt::Horizontal);
        slider->setRange(0, static_cast<int>(setting.values.size()) - 1);
        slider->setPageStep(1);
        slider->setValue(static_cast<int>(model_.step(i)));
        slider->setTickPosition(QSlider::TicksBelow);
        slider->setAccessibleName(setting.title);
        slider->setToolTip(meaningOf("set." + std::string(name(setting.setting))));
        auto *value = new QLabel(setting.wordsOf(model_.step(i)));
        value->setMinimumWidth(fontMetrics().horizontalAdvance("000.0 KiB  "));
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        auto *line = new QWidget;
        auto *lineLayout = new QHBoxLayout(line);
        lineLayout->setContentsMargins(0, 0, 0, 0);
        lineLayout->addWidget(slider, 1);
        lineLayout->addWidget(value);
        form_->addRow(setting.title, line);
        form_->labelForField(line)->setToolTip(slider->toolTip());
        list_.push_back(slider);
        values_.push_back(value);
        connect(slider, &QSlider::valueChanged, this,
                [this, i](int v) { model_.setStep(i, static_cast<std::size_t>(v)); });
    }
}

void ModelView::showPrediction() {
    for (std::size_t i = 0; i < values_.size() && i < model_.settings().size(); ++i) {
        const bool moved = model_.step(i) != model_.settings()[i].present;
        values_[i]->setText(model_.settings()[i].wordsOf(model_.step(i)));
        QFont f = values_[i]->font();
        f.setBold(moved);
        values_[i]->setFont(f);
    }
    plot_->clearPlottables();
    plot_->clearItems();
    keys_->setRowCount(0);
    if (!model_.prediction()) {
        summary_->setText(tr("No Reads or Writes to model in this capture."));
        remarks_->clear();
        plot_->hide();
        return;
    }
    plot_->show();
    const Prediction &p = *model_.prediction();
    const ModelledCycle &now = model_.rows()[static_cast<std::size_t>(model_.row())].cycle;
    const auto line = [](const QString &name, const QString &value, const QString &more) {
        return "<tr><td>" + name + "&nbsp;</td><td align=right><b>" + value + "</b>&nbsp;</td><td>" +
               more.toHtmlEscaped() + "</td></tr>";
    };
    const bool moved = !model_.changes().empty();
    QString text = "<table>";
    text += line(tr("measured"), rateWords(p.measured),
                 tr("cycle %1").arg(durationWords(static_cast<std::int64_t>(now.measured_cycle))));
    text += line(tr("modelled"), rateWords(p.modelled),
                 tr("cycle %1, %2 off the measured; held by %3")
                     .arg(durationWords(static_cast<std::int64_t>(p.before.total())),
                          shareWords(std::abs(now.cycle_error)), bottleneckWords(p.bottleneck_before)));
    if (moved) {
        text += line(tr("predicted"), rateWords(p.predicted),
                     tr("%1 to %2 (%3); held by %4")
                         .arg(rateWords(p.low), rateWords(p.high), QString::fromStdString(p.interval),
                              bottleneckWords(p.bottleneck_after)));
    }
    summary_->setText(text + "</table>");
    QStringList remarks;
    for (const std::string &r : p.remarks)
        remarks << QString::fromStdString(r);
    for (const std::string &r : now.left_out)
        remarks << QString::fromStdString(r);
    remarks_->setText(remarks.join(" "));

    const Theme t = Theme::of(palette());
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
                          {tr("behind other tasks"), colorOf(GapKind::cwnd_limited), &CycleParts::queued}};
    QCPBars *below = nullptr;
    double most = 0;
    for (const Part &part : parts) {
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
    most = std::max(p.before.total(), moved ? p.after.total() : 0.0) / 1e6;
    QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    names->addTick(2, tr("modelled"));
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
    plot_->legend->setBorderPen(Qt::NoPen);
    applyTheme(*plot_, t);
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->replot(QCustomPlot::rpQueuedReplot);
    for (const KeyVerdict &k : p.keys) {
        const int row = keys_->rowCount();
        keys_->insertRow(row);
        const QStringList cells{
            QString::fromStdString(k.key),
            k.value.empty() ? tr("not known") : QString::fromStdString(k.value),
            !k.judged ? tr("not known")
            : k.binds ? tr("yes, %1 with %2")
                            .arg(QString::fromStdString(k.gain_words()), QString::fromStdString(k.best_of()))
                      : tr("no, %1").arg(QString::fromStdString(k.best_of())),
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
    for (int c = 0; c < 3; ++c)
        keys_->resizeColumnToContents(c);
    keys_->resizeRowsToContents();
}

void ModelView::changeEvent(QEvent *e) {
    QWidget::changeEvent(e);
    if (e->type() == QEvent::PaletteChange)
        showPrediction();
}

} // namespace iscsiscope::gui
