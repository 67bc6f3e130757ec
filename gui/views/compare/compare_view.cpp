// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/compare/compare_view.h"

#include "analyzer/words/compare/throughput_sentence.h"
#include "gui/models/words.h"
#include "gui/views/compare/changes_panel.h"
#include "gui/views/compare/ends_panel.h"
#include "gui/views/theme.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <qcustomplot.h>

namespace iscsiscope::gui {

CompareView::CompareView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), title_(new QLabel), sentence_(new QLabel), hidden_(new QLabel),
      swap_(new QPushButton(tr("Swap sides"))), table_(new QTableView), proxy_(new CompareRows(this)),
      changes_(new ChangesPanel), split_(new QSplitter), plotPlace_(new QWidget), plot_(new QCustomPlot),
      endsBox_(new QGroupBox(tr("Two ends of one run"))), endsPanel_(new EndsPanel) {
    title_->setWordWrap(true);
    title_->setTextFormat(Qt::RichText);
    sentence_->setObjectName("comparison");
    sentence_->setWordWrap(true);
    sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    sentence_->setAccessibleName(tr("How the throughput differs"));
    QFont bold = sentence_->font();
    bold.setBold(true);
    sentence_->setFont(bold);
    auto *choose = new QPushButton(tr("Compare with…"));
    choose->setObjectName("chooseOther");
    connect(choose, &QPushButton::clicked, this, [this] {
        const QString file = QFileDialog::getOpenFileName(this, tr("The other capture"));
        if (!file.isEmpty())
            setOther({{file}});
    });
    swap_->setObjectName("swapSides");
    swap_->setToolTip(tr("The second capture becomes the first: it is opened in all views"));
    connect(swap_, &QPushButton::clicked, this, &CompareView::swapSides);
    proxy_->setSourceModel(&model_);
    table_->setObjectName("differences");
    table_->setAccessibleName(tr("Figures of both captures and their differences"));
    table_->setModel(proxy_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(CompareModel::Change, Qt::DescendingOrder);
    table_->verticalHeader()->hide();
    table_->setAlternatingRowColors(true);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(CompareModel::Name, QHeaderView::Stretch);
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    auto *find = new QLineEdit;
    find->setPlaceholderText(tr("only figures whose name has …"));
    find->setAccessibleName(tr("Part of a figure's name"));
    find->setClearButtonEnabled(true);
    connect(find, &QLineEdit::textChanged, this, [this](const QString &text) { proxy_->setText(text); });
    auto *all = new QCheckBox(tr("Show what hardly changed"));
    all->setObjectName("allFigures");
    all->setToolTip(tr(
        "Also figures that differ by less than 2 %, shares by less than half a point, and those of commands "
        "other than Reads and Writes"));
    connect(all, &QCheckBox::toggled, this, [this](bool on) {
        proxy_->setAll(on);
        refresh();
    });
    plot_->setAccessibleName(tr("Response times of both captures, cumulated"));
    plot_->setFocusPolicy(Qt::NoFocus);
    auto *top = new QHBoxLayout;
    top->addWidget(title_, 1);
    top->addWidget(swap_);
    top->addWidget(choose);
    auto *line = new QHBoxLayout;
    line->addWidget(find, 1);
    line->addWidget(hidden_);
    line->addWidget(all);
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->addLayout(line);
    leftLayout->addWidget(table_, 1);
    // In a place of its own, so that hiding it never makes the plot one of no size.
    auto *placeLayout = new QVBoxLayout(plotPlace_);
    placeLayout->setContentsMargins(0, 0, 0, 0);
    placeLayout->addWidget(plot_);
    plot_->setMinimumSize(200, 120);
    auto *right = new QSplitter(Qt::Vertical);
    right->setObjectName("compareRight");
    right->addWidget(changes_);
    right->addWidget(plotPlace_);
    right->setSizes({360, 260});
    split_->setObjectName("compareSides");
    split_->setChildrenCollapsible(false);
    split_->addWidget(left);
    split_->addWidget(right);
    split_->setStretchFactor(0, 3);
    split_->setStretchFactor(1, 2);
    split_->setSizes({760, 500});
    auto *boxLayout = new QVBoxLayout(endsBox_);
    boxLayout->setContentsMargins(6, 6, 6, 6);
    boxLayout->addWidget(endsPanel_);
    auto *parts = new QSplitter(Qt::Vertical);
    parts->setObjectName("compareParts");
    parts->addWidget(endsBox_);
    parts->addWidget(split_);
    parts->setSizes({330, 400});
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(sentence_);
    layout->addWidget(parts, 1);
    endsBox_->hide();
    connect(endsPanel_, &EndsPanel::frameWanted, this, &CompareView::frameWanted);
    connect(&document, &Document::figuresChanged, this, &CompareView::refresh);
    connect(&document, &Document::rangeChanged, this, &CompareView::readOther);
    connect(&document, &Document::filtersChanged, this, &CompareView::readOther);
    connect(&document, &Document::snapshotChanged, this, &CompareView::lookForEnds);
    refresh();
}

void CompareView::setOther(const CaptureFiles &other) {
    other_ = other;
    otherWhole_.reset();
    otherReport_.reset();
    readOther();
}

void CompareView::swapSides() {
    if (other_.files.isEmpty() || document_.snapshot()->files.isEmpty())
        return;
    const CaptureFiles first = *document_.snapshot(), second = other_;
    document_.open(second.files, second.filesAre);
    setOther(first);
}

bool CompareView::scoped() const {
    return document_.range() || !document_.filters().isEmpty();
}

// The whole capture first, then the part of it that range and filters of the first one pick.
void CompareView::readOther() {
    job_.stop();
    if (other_.files.isEmpty())
        return;
    FigureRequest request;
    static_cast<CaptureFiles &>(request) = other_;
    const bool part = otherWhole_ && scoped();
    if (otherWhole_ && !part) {
        otherReport_ = otherWhole_;
        refresh();
        return;
    }
    if (part) {
        request.filter = document_.filterExpression();
        if (const auto &r = document_.range()) {
            // In seconds since the first frame of each, as `iscsiscope compare --range` takes it.
            auto range = TimeRange::parse(rangeWords(r->from, r->to, document_.snapshot()->origin));
            if (range.ok())
                request.range = range.value();
        }
    }
    job_.run(
        this,
        [request](const std::atomic<bool> &stop) {
            StopObserver stopper(stop);
            return makeReport(request, nullptr, &stopper);
        },
        [this](const std::variant<ReportPtr, QString> &result) {
            if (const auto *sentence = std::get_if<QString>(&result)) {
                other_ = {};
                otherReport_.reset();
                refresh();
                emit failed(*sentence);
                return;
            }
            otherReport_ = std::get<ReportPtr>(result);
            if (!otherWhole_) {
                otherWhole_ = otherReport_;
                if (scoped())
                    readOther();
            }
            refresh();
            lookForEnds();
            if (!job_.running())
                emit compared();
        });
    refresh();
}

const PairedEndsPtr &CompareView::ends() const {
    return endsPanel_->model().ends();
}

// Once both captures are known. What is shown of another pair goes first.
void CompareView::lookForEnds() {
    const SnapshotPtr &s = document_.snapshot();
    if (endsOf_.lock() == s && endsWith_.lock() == otherWhole_)
        return;
    endsOf_ = s;
    endsWith_ = otherWhole_;
    endsJob_.stop();
    endsPanel_->setEnds(nullptr, {}, {});
    endsBox_->hide();
    table_->setColumnHidden(CompareModel::Meaning, false);
    if (otherWhole_ && s->complete && !s->cancelled && !s->files.isEmpty() &&
        mayBeEnds(*s->report, *otherWhole_)) {
        endsJob_.run(
            this,
            [s, other = otherWhole_, files = other_](const std::atomic<bool> &stop) {
                return readEnds(*s, *s->report, files, *other, stop);
            },
            [this](const PairedEndsPtr &ends) {
                endsPanel_->setEnds(ends, document_.snapshot()->files.value(0), other_.files.value(0));
                endsBox_->setVisible(ends != nullptr);
                // Neither end of one run is better than the other.
                table_->setColumnHidden(CompareModel::Meaning, ends != nullptr);
                sentence_->setVisible(ends == nullptr);
                showTitle();
            });
    }
    showTitle();
}

void CompareView::showTitle() {
    const QString file = document_.snapshot()->files.value(0);
    swap_->setEnabled(!file.isEmpty() && otherReport_ != nullptr);
    if (file.isEmpty() || other_.files.isEmpty()) {
        title_->setText(tr("Before and after, or two ends of one run: open a capture, then choose another to "
                           "compare it with. Two files opened together or dropped on the window do both."));
        return;
    }
    const auto nameOf = [](const CaptureFiles &c) {
        const QString name = QFileInfo(c.files.front()).fileName().toHtmlEscaped();
        return c.files.size() > 1 ? tr("%1 and %2 more").arg(name).arg(c.files.size() - 1) : name;
    };
    QString text =
        tr("first: <b>%1</b> &nbsp; second: <b>%2</b>").arg(nameOf(*document_.snapshot()), nameOf(other_));
    if (!otherReport_)
        text += tr(" &nbsp; reading the second …");
    else if (endsJob_.running())
        text += tr(" &nbsp; matching their segments, which may be two ends of one run …");
    title_->setText(text);
}

void CompareView::refresh() {
    showTitle();
    const bool both = otherReport_ && !document_.snapshot()->files.isEmpty();
    const bool pending = document_.figuresPending() || job_.running();
    endsBox_->setTitle(scoped() ? tr("Two ends of one run, whole capture") : tr("Two ends of one run"));
    split_->setVisible(both);
    split_->setEnabled(!pending);           // what is shown is of another range or other filters
    sentence_->setVisible(both && !ends()); // of two ends of one run nothing is before or after
    if (both && pending) {
        sentence_->setText(tr("counting …"));
    } else if (both) {
        model_.setReports(document_.figures(), otherReport_);
        proxy_->sort(table_->horizontalHeader()->sortIndicatorSection(),
                     table_->horizontalHeader()->sortIndicatorOrder());
        sentence_->setText(QString::fromStdString(throughput_sentence(model_.comparison().throughput)));
        changes_->setReports(document_.figures(), otherReport_, model_.comparison());
        const int hidden = proxy_->hidden();
        hidden_->setText(hidden > 0 ? tr("%1 that hardly changed are hidden").arg(hidden) : QString());
    }
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
