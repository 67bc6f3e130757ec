// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/statistics_panel.h"

#include "analyzer/figures/rates.h"
#include "gui/models/histogram_times.h"
#include "gui/models/words.h"

#include <QGroupBox>
#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>
#include <cmath>

namespace iscsiscope::gui {
namespace {

QString table(const std::vector<std::pair<QString, QString>> &rows) {
    QString html = "<table cellspacing=0 cellpadding=1 width='100%'>";
    for (const auto &[name, value] : rows) {
        html += "<tr><td>" + name.toHtmlEscaped() + "</td><td align=right>&nbsp;" + value.toHtmlEscaped() +
                "</td></tr>";
    }
    return html + "</table>";
}

QGroupBox *boxed(const QString &title, std::initializer_list<QWidget *> content) {
    auto *box = new QGroupBox(title);
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins(6, 6, 6, 6);
    for (QWidget *w : content)
        layout->addWidget(w);
    return box;
}

} // namespace

StatisticsPanel::StatisticsPanel(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), range_(new QLabel), cycle_(new QLabel), steps_(new QListWidget) {
    for (QLabel *l : {range_, cycle_}) {
        l->setWordWrap(true);
        l->setTextFormat(Qt::RichText);
        l->setAlignment(Qt::AlignTop);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    range_->setObjectName("rangeFigures");
    range_->setAccessibleName(tr("Figures of the range"));
    cycle_->setObjectName("cycleFiguresOfSelection");
    cycle_->setAccessibleName(tr("Figures of the selected cycle"));
    steps_->setObjectName("steps");
    steps_->setAccessibleName(tr("Frames of the selected cycle"));
    steps_->setFrameShape(QFrame::NoFrame);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(boxed(tr("Range"), {range_}));
    QGroupBox *cycleBox = boxed(tr("Selected cycle"), {cycle_, steps_});
    cycleBox->layout()->setAlignment(cycle_, Qt::AlignTop);
    layout->addWidget(cycleBox, 1);
    setMinimumWidth(220);
    setMaximumWidth(300);
    connect(&document, &Document::rangeChanged, this, &StatisticsPanel::showRange);
    connect(&document, &Document::figuresChanged, this, &StatisticsPanel::showRange);
    connect(&document, &Document::selectionChanged, this, &StatisticsPanel::showSelection);
    connect(&document, &Document::snapshotChanged, this, &StatisticsPanel::showSelection);
    connect(steps_, &QListWidget::itemActivated, this, [this](const QListWidgetItem *i) {
        emit packetWanted(FrameNumber{i->data(Qt::UserRole).toULongLong()});
    });
    showRange();
    showSelection();
}

void StatisticsPanel::showRange() {
    const Snapshot &s = *document_.snapshot();
    const Interval i = document_.range().value_or(s.whole);
    std::vector<std::pair<QString, QString>> rows;
    const Duration step = i.length() / 1000;
    rows.emplace_back(document_.range() ? tr("from") : tr("whole capture, from"),
                      secondWords(i.from - s.origin, step));
    rows.emplace_back(tr("to"), secondWords(i.to - s.origin, step));
    rows.emplace_back(tr("length"), durationWords(i.length()));
    if (document_.figuresPending()) {
        range_->setText(table(rows) + "<p>" + tr("counting …") + "</p>");
        return;
    }
    const Report &r = *document_.figures();
    if (const auto rate = r.wire.average_rate(); rate && r.filter.empty()) {
        rows.emplace_back(tr("on the wire"), byteWords(r.wire.total()));
        rows.emplace_back(tr("average"), rateWords(*rate));
    }
    if (!tasks_known(r)) // what follows is of a part of the tasks
        rows.emplace_back(tr("tasks"), tr("a part of them found"));
    for (const TaskType type : {TaskType::read, TaskType::write, TaskType::control}) {
        const TypeTally &t = r.of(type);
        if (t.count == 0)
            continue;
        const Histogram &h = t.of(CycleFigure::response_time);
        rows.emplace_back(QString(), QString());
        rows.emplace_back(words(name(type)), countWords(t.count));
        const Rates rate = rates(r, type);
        if (type != TaskType::control && rate.throughput && rate.iops) {
            rows.emplace_back(tr("data time"), durationWords(*rate.data_time));
            rows.emplace_back(tr("throughput"), rateWords(*rate.throughput));
            rows.emplace_back(tr("average"), rateWords(rate.average_throughput.value_or(0)));
            rows.emplace_back(tr("IOPS"), countWords(static_cast<std::uint64_t>(std::llround(*rate.iops))));
        }
        rows.emplace_back(tr("p50"), durationWords(asDuration(h.quantile(0.5))));
        rows.emplace_back(tr("p99"), durationWords(asDuration(h.quantile(0.99))));
        rows.emplace_back(tr("max"), durationWords(asDuration(h.maximum())));
    }
    range_->setText(table(rows));
}

void StatisticsPanel::showSelection() {
    steps_->clear();
    const Selection &s = document_.selection();
    if (!s.cycle || *s.cycle >= document_.snapshot()->tables.cycles.size()) {
        cycle_->setText(tr("None. Click on a cycle, or press . for the next."));
        steps_->hide();
        return;
    }
    const CycleRecord r = document_.snapshot()->tables.cycles.record(*s.cycle);
    std::vector<std::pair<QString, QString>> rows{
        {tr("cycle"), QString::number(r.cycle.number)},
        {words(name(r.type)), byteWords(r.bytes_expected.value_or(0))},
        {tr("outcome"), words(name(r.outcome))},
    };
    for (std::size_t i = 0; i < cycle_figure_count; ++i) {
        const auto f = static_cast<CycleFigure>(i);
        if (const auto v = figure(r, f); v && (*v > Duration{0} || f == CycleFigure::response_time))
            rows.emplace_back(words(name(f)).replace('_', ' '), durationWords(*v));
    }
    cycle_->setText(table(rows));
    steps_->show();
    const auto list = document_.steps();
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto *item = new QListWidgetItem(tr("%1  frame %2, +%3")
                                             .arg(list[i].what)
                                             .arg(list[i].frame)
                                             .arg(durationWords(list[i].time - r.start)));
        item->setData(Qt::UserRole, QVariant::fromValue<qulonglong>(list[i].frame));
        item->setToolTip(tr("Enter: this packet in Wireshark"));
        steps_->addItem(item);
        if (i == s.step && list[i].frame == s.frame)
            steps_->setCurrentItem(item);
    }
}

} // namespace iscsiscope::gui
