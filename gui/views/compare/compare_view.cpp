// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/compare/compare_view.h"

#include "gui/models/words.h"
#include "gui/views/compare/ends_panel.h"
#include "gui/views/theme.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <qcustomplot.h>

namespace iscsiscope::gui {

CompareView::CompareView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), title_(new QLabel), table_(new QTableView),
      proxy_(new QSortFilterProxyModel(this)), plotPlace_(new QWidget), plot_(new QCustomPlot),
      endsBox_(new QGroupBox(tr("Two ends of one run"))), endsPanel_(new EndsPanel) {
    title_->setWordWrap(true);
    title_->setTextFormat(Qt::RichText);
    auto *choose = new QPushButton(tr("Compare with…"));
    choose->setObjectName("chooseOther");
    connect(choose, &QPushButton::clicked, this, [this] {
        const QString file = QFileDialog::getOpenFileName(this, tr("The other capture"));
        if (!file.isEmpty())
            setOther(file);
    });
    proxy_->setSourceModel(&model_);
    proxy_->setSortRole(CompareModel::RawRole);
    proxy_->setFilterKeyColumn(CompareModel::Name);
    table_->setObjectName("differences");
    table_->setAccessibleName(tr("Figures of both captures and their differences"));
    table_->setModel(proxy_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->verticalHeader()->hide();
    table_->setAlternatingRowColors(true);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->horizontalHeader()->setSectionResizeMode(CompareModel::Name, QHeaderView::ResizeToContents);
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    auto *find = new QLineEdit;
    find->setPlaceholderText(tr("only figures whose name has …"));
    find->setAccessibleName(tr("Part of a figure's name"));
    find->setClearButtonEnabled(true);
    connect(find, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
    plot_->setAccessibleName(tr("Response times of both captures, cumulated"));
    plot_->setFocusPolicy(Qt::NoFocus);
    auto *top = new QHBoxLayout;
    top->addWidget(title_, 1);
    top->addWidget(choose);
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->addWidget(find);
    leftLayout->addWidget(table_, 1);
    auto *split = new QSplitter;
    split->addWidget(left);
    // In a place of its own, so that hiding it never makes the plot one of no size.
    auto *placeLayout = new QVBoxLayout(plotPlace_);
    placeLayout->setContentsMargins(0, 0, 0, 0);
    placeLayout->addWidget(plot_);
    plot_->setMinimumSize(200, 120);
    split->setChildrenCollapsible(false);
    split->addWidget(plotPlace_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({760, 500});
    auto *boxLayout = new QVBoxLayout(endsBox_);
    boxLayout->setContentsMargins(6, 6, 6, 6);
    boxLayout->addWidget(endsPanel_);
    auto *parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(endsBox_);
    parts->addWidget(split);
    parts->setSizes({330, 400});
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(parts, 1);
    endsBox_->hide();
    connect(endsPanel_, &EndsPanel::frameWanted, this, &CompareView::frameWanted);
    connect(&document, &Document::figuresChanged, this, &CompareView::refresh);
    connect(&document, &Document::snapshotChanged, this, &CompareView::lookForEnds);
    refresh();
}

void CompareView::setOther(const QString &file) {
    other_ = file;
    otherReport_.reset();
    refresh();
    FigureRequest request;
    request.files = {file};
    job_.run(
        this,
        [request](const std::atomic<bool> &stop) {
            StopObserver stopper(stop);
            return makeReport(request, nullptr, &stopper);
        },
        [this](const std::variant<ReportPtr, QString> &result) {
            if (const auto *sentence = std::get_if<QString>(&result)) {
                other_.clear();
                refresh();
                emit failed(*sentence);
                return;
            }
            otherReport_ = std::get<ReportPtr>(result);
            refresh();
            lookForEnds();
            emit compared();
        });
}

const PairedEndsPtr &CompareView::ends() const {
    return endsPanel_->model().ends();
}

// Once both captures are known. What is shown of another pair goes first.
void CompareView::lookForEnds() {
    const SnapshotPtr &s = document_.snapshot();
    if (endsOf_.lock() == s && endsWith_.lock() == otherReport_)
        return;
    endsOf_ = s;
    endsWith_ = otherReport_;
    endsJob_.stop();
    endsPanel_->setEnds(nullptr, {}, {});
    endsBox_->hide();
    if (otherReport_ && s->complete && !s->cancelled && !s->files.isEmpty() &&
        mayBeEnds(*s->report, *otherReport_)) {
        endsJob_.run(
            this,
            [s, other = otherReport_, file = other_](const std::atomic<bool> &stop) {
                return readEnds(s->files, *s->report, {file}, *other, stop);
            },
            [this](const PairedEndsPtr &ends) {
                endsPanel_->setEnds(ends, document_.snapshot()->files.value(0), other_);
                endsBox_->setVisible(ends != nullptr);
                showTitle();
            });
    }
    showTitle();
}

void CompareView::showTitle() {
    const QString file = document_.snapshot()->files.value(0);
    if (file.isEmpty() || other_.isEmpty()) {
        title_->setText(tr("Before and after, or two ends of one run: open a capture, then choose another to "
                           "compare it with. "
                           "Two files dropped on the window do both."));
        return;
    }
    if (!otherReport_) {
        title_->setText(tr("Reading %1 …").arg(other_.toHtmlEscaped()));
        return;
    }
    QString text =
        tr("first: <b>%1</b> &nbsp; second: <b>%2</b>")
            .arg(QFileInfo(file).fileName().toHtmlEscaped(), QFileInfo(other_).fileName().toHtmlEscaped());
    if (endsJob_.running())
        text += tr(" &nbsp; matching their segments, which may be two ends of one run …");
    title_->setText(text);
}

void CompareView::refresh() {
    showTitle();
    if (otherReport_ && !document_.snapshot()->files.isEmpty())
        model_.setReports(document_.figures(), otherReport_);
    drawDistributions();
}

void CompareView::drawDistributions() {
    plot_->clearGraphs();
    const Theme t = Theme::of(palette());
    plotPlace_->setVisible(otherReport_ != nullptr);
    if (!otherReport_)
        return;
    double least = 1e300, most = 0;
    const auto add = [&](const Report &r, const QString &which, Qt::PenStyle style) {
        for (const TaskType type : {TaskType::read, TaskType::write}) {
            const Histogram &h = r.of(type).of(CycleFigure::response_time);
            if (h.count() == 0)
                continue;
            QCPGraph *g = plot_->addGraph();
            g->setName(QString("%1, %2").arg(words(name(type)), which));
            g->setPen(QPen(t.legible(colorOf(type)), 1, style));
            for (int i = 0; i <= 200; ++i) {
                const double q = i / 200.0;
                const double ms = static_cast<double>(h.quantile(q).value_or(1)) / 1e6;
                g->addData(std::max(ms, 1e-6), q);
                least = std::min(least, std::max(ms, 1e-6));
                most = std::max(most, ms);
            }
        }
    };
    add(*document_.figures(), tr("first"), Qt::SolidLine);
    add(*otherReport_, tr("second"), Qt::DashLine);
    plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
    plot_->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog));
    plot_->xAxis->setNumberFormat("gb");
    plot_->xAxis->setNumberPrecision(3);
    plot_->xAxis->setLabel(tr("response time, ms"));
    plot_->yAxis->setLabel(tr("share of cycles"));
    plot_->yAxis->setRange(0, 1.02);
    if (least < most)
        plot_->xAxis->setRange(least / 1.1, most * 1.1);
    plot_->legend->setVisible(plot_->graphCount() > 0);
    legendBelow(*plot_);
    applyTheme(*plot_, t);
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void CompareView::changeEvent(QEvent *e) {
    QWidget::changeEvent(e);
    if (e->type() == QEvent::PaletteChange)
        drawDistributions();
}

} // namespace iscsiscope::gui
