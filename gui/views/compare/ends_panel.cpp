// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/compare/ends_panel.h"

#include "gui/models/words.h"
#include "gui/views/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <cmath>

namespace iscsiscope::gui {

EndsPanel::EndsPanel(QWidget *parent)
    : QWidget(parent), words_(new QLabel), more_(new QLabel), table_(new QTableView), plotPlace_(new QWidget),
      plot_(new QCustomPlot) {
    words_->setObjectName("endsWords");
    words_->setAccessibleName(tr("Clocks of the two captures"));
    more_->setObjectName("endsMore");
    more_->setAccessibleName(tr("Lost segments and service times"));
    for (QLabel *l : {words_, more_}) {
        l->setWordWrap(true);
        l->setTextFormat(Qt::RichText);
        l->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        l->setTextInteractionFlags(Qt::TextBrowserInteraction);
    }
    connect(more_, &QLabel::linkActivated, this, [this](const QString &link) {
        emit frameWanted(link.mid(QString("frame:").size()).toULongLong());
    });
    table_->setObjectName("ends");
    table_->setAccessibleName(tr("Segments and one-way delays between the two captures"));
    table_->setModel(&model_);
    table_->verticalHeader()->hide();
    table_->setAlternatingRowColors(true);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    plot_->setAccessibleName(tr("One-way delays over time"));
    plot_->setFocusPolicy(Qt::NoFocus);
    plot_->setMinimumSize(200, 120);
    for (int i = 0; i < 4; ++i) // delays of both ways, losses of both ways
        plot_->addGraph();
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->addWidget(words_);
    leftLayout->addWidget(table_, 1);
    auto *scroll = new QScrollArea;
    scroll->setWidget(more_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(more_->accessibleName());
    scroll->setMaximumHeight(fontMetrics().height() * 8);
    leftLayout->addWidget(scroll, 1);
    // In a place of its own, so that hiding it never makes the plot one of no size.
    auto *placeLayout = new QVBoxLayout(plotPlace_);
    placeLayout->setContentsMargins(0, 0, 0, 0);
    placeLayout->addWidget(plot_);
    auto *split = new QSplitter;
    split->setChildrenCollapsible(false);
    split->addWidget(left);
    split->addWidget(plotPlace_);
    split->setSizes({760, 500});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);
}

QString EndsPanel::lossWords(const PairedEnds &e) const {
    QStringList lines;
    for (const EndsWay &w : e.ways) {
        if (w.lost == 0)
            continue;
        QStringList frames;
        for (const FrameNumber f : w.lostFrames)
            frames << (w.lostInFirst ? QString("<a href=\"frame:%1\">%1</a>") : QString("%1")).arg(f);
        if (w.lost > w.lostFrames.size())
            frames << "…";
        lines << tr("Connection %1, from the %2: lost frames %3 of the %4 capture.")
                     .arg(w.stream.number)
                     .arg(w.fromInitiator ? tr("initiator") : tr("target"), frames.join(", "),
                          w.lostInFirst ? tr("first") : tr("second"));
    }
    return lines.isEmpty() ? tr("Nothing was lost between the two captures.") : lines.join("<br>");
}

void EndsPanel::setEnds(PairedEndsPtr ends, const QString &first, const QString &second) {
    model_.setEnds(ends);
    if (!ends)
        return;
    const QString near = ends->firstIsInitiator ? first : second;
    const QString far = ends->firstIsInitiator ? second : first;
    const auto line = [](const QString &name, const QString &value) {
        return "<tr><td>" + name + "&nbsp;&nbsp;</td><td>" + value.toHtmlEscaped() + "</td></tr>";
    };
    QString text = "<table>" + line(tr("At the initiator"), near) + line(tr("At the target"), far) +
                   line(tr("Matched"), ends->matched) + line(tr("Clocks"), ends->clockText);
    if (ends->clock)
        text += line(tr("Drift"), ends->drift);
    words_->setText(text + "</table>");
    QString more = "<p>" + lossWords(*ends) + "</p>";
    if (!ends->service.empty()) {
        more += "<p><b>" + tr("Service time of the target") + "</b></p><table cellpadding=1>";
        for (const ServiceRow &r : ends->service) {
            more += QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td align=right>p50 "
                            "%3&nbsp;&nbsp;</td><td align=right>p99 %4</td></tr>")
                        .arg(tr("%1, %2 tasks").arg(words(name(r.type)), countWords(r.tasks)),
                             r.atTarget ? tr("measured at the target")
                                        : tr("at the initiator, round trip subtracted"),
                             durationWords(r.median), durationWords(r.p99));
        }
        more += "</table>";
    }
    more_->setText(more);
    plotPlace_->setVisible(ends->clock.has_value());
    draw();
}

void EndsPanel::draw() {
    const PairedEndsPtr &ends = model_.ends();
    if (!ends)
        return;
    const Theme t = Theme::of(palette());
    const QStringList names{tr("from the initiator"), tr("from the target")};
    const TaskType colors[] = {TaskType::write, TaskType::read}; // data flows that way
    double most = 0, first = 1e300, last = -1e300;
    for (const DelayBand &band : ends->bands) {
        for (const double v : band.greatest)
            most = std::max(most, v);
        if (!band.seconds.isEmpty()) {
            first = std::min(first, band.seconds.front());
            last = std::max(last, band.seconds.back());
        }
    }
    most = most > 0 ? most * 1.08 : 1;
    plot_->legend->clearItems();
    for (int b = 0; b < 2; ++b) {
        const DelayBand &band = ends->bands[static_cast<std::size_t>(b)];
        const QColor color = t.legible(colorOf(colors[b]));
        // A stroke from the least to the greatest of each stretch: nothing is drawn across silence.
        QVector<double> x, y;
        for (qsizetype i = 0; i < band.seconds.size(); ++i) {
            x << band.seconds[i] << band.seconds[i] << band.seconds[i];
            y << band.least[i] << band.greatest[i] << std::nan("");
        }
        QCPGraph *delay = plot_->graph(b), *lost = plot_->graph(2 + b);
        delay->setData(x, y, true);
        delay->setPen(QPen(color, 1));
        delay->setScatterStyle(QCPScatterStyle(b == 0 ? QCPScatterStyle::ssDisc : QCPScatterStyle::ssSquare,
                                               color, color, b == 0 ? 4 : 3));
        delay->setName(names[b]);
        delay->addToLegend();
        lost->setData(band.lost, QVector<double>(band.lost.size(), most * (b == 0 ? 0.03 : 0.07)), true);
        lost->setLineStyle(QCPGraph::lsNone);
        lost->setScatterStyle(QCPScatterStyle(b == 0 ? QCPScatterStyle::ssCross : QCPScatterStyle::ssPlus,
                                              t.legible(QColor(0xb2182b)), 7));
        lost->setName(tr("lost, %1").arg(names[b]));
        if (!band.lost.isEmpty())
            lost->addToLegend();
    }
    plot_->xAxis->setLabel(tr("time since the first frame of the first capture, s"));
    plot_->yAxis->setLabel(tr("one-way delay, ms"));
    plot_->yAxis->setRange(0, most);
    if (first < last)
        plot_->xAxis->setRange(first, last);
    plot_->legend->setVisible(true);
    legendBelow(*plot_);
    plot_->legend->setWrap(2);
    applyTheme(*plot_, t);
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void EndsPanel::changeEvent(QEvent *e) {
    QWidget::changeEvent(e);
    if (e->type() == QEvent::PaletteChange)
        draw();
}

} // namespace iscsiscope::gui
