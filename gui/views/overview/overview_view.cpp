// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/overview/overview_view.h"

#include "gui/models/findings_model.h"
#include "gui/models/histogram_times.h"
#include "gui/models/session_tree_model.h"
#include "gui/models/words.h"
#include "gui/views/overview/finding_delegate.h"
#include "gui/views/overview/spark_delegate.h"
#include "gui/views/overview/verdict_panel.h"
#include "gui/views/time_bars_widget.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/totals.h"
#include "analyzer/words/capture/capture_words.h"

#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTableWidget>
#include <QTextDocument>
#include <QTreeView>
#include <QVBoxLayout>
#include <cmath>

namespace iscsiscope::gui {
namespace {

QGroupBox *boxed(const QString &title, QWidget *content) {
    auto *box = new QGroupBox(title);
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(content);
    return box;
}

Qt::Alignment alignment(bool right) {
    return (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

QTableWidgetItem *cell(const QString &text, bool right) {
    auto *item = new QTableWidgetItem(text);
    item->setTextAlignment(alignment(right));
    return item;
}

} // namespace

OverviewView::OverviewView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), facts_(new QLabel), note_(new QLabel), finding_(new QLabel),
      cover_(new QLabel), cycles_(new QTableWidget), findings_(new QListView),
      findingsModel_(new FindingsModel(document, this)), treeModel_(new SessionTreeModel(document, this)),
      tree_(new QTreeView) {
    facts_->setWordWrap(true);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    facts_->setAccessibleName(tr("What is in the capture"));
    note_->setWordWrap(true);
    note_->setObjectName("note");
    note_->setAccessibleName(tr("Remark on the capture"));

    cycles_->setObjectName("cycleFigures");
    cycles_->setAccessibleName(tr("Cycles by type"));
    cycles_->setColumnCount(9);
    cycles_->setHorizontalHeaderLabels({tr("Type"), tr("Count"), tr("Bytes"), tr("MB/s"), tr("IOPS"),
                                        tr("p50"), tr("p90"), tr("p99"), tr("max")});
    cycles_->verticalHeader()->hide();
    cycles_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    cycles_->setSelectionMode(QAbstractItemView::NoSelection);
    cycles_->setShowGrid(false);
    cycles_->viewport()->installEventFilter(this);
    cycles_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    cycles_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    const QString meanings[] = {
        meaningOf("type"),          meaningOf("report.tasks"),  meaningOf("bytes"),
        meaningOf("throughput"),    meaningOf("iops"),          responseTimeMeaning("p50"),
        responseTimeMeaning("p90"), responseTimeMeaning("p99"), responseTimeMeaning("distribution.max")};
    for (int i = 0; i < cycles_->columnCount(); ++i) {
        cycles_->horizontalHeaderItem(i)->setToolTip(meanings[i]);
        cycles_->horizontalHeaderItem(i)->setTextAlignment(alignment(i > 0));
    }

    findings_->setObjectName("findings");
    findings_->setAccessibleName(tr("Findings, worst first"));
    findings_->setModel(findingsModel_);
    findings_->setItemDelegate(new FindingDelegate(findings_));
    findings_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    findings_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    findings_->setWordWrap(true);
    findings_->setResizeMode(QListView::Adjust);
    findings_->setUniformItemSizes(false);
    finding_->setWordWrap(true);
    finding_->setObjectName("findingDetails");
    finding_->setAccessibleName(tr("Evidence and remedy of the finding"));
    finding_->setTextFormat(Qt::RichText);
    finding_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    finding_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    connect(
        finding_, &QLabel::linkActivated, this,
        [this](const QString &link) { emit frameWanted(link.mid(QString("frame:").size()).toULongLong()); });

    connect(findings_, &QListView::activated, this, [this](const QModelIndex &i) {
        if (const auto &frames = findingsModel_->finding(i.row()).evidence; !frames.empty())
            emit frameWanted(frames.front().frame);
    });
    findings_->setToolTip(tr("Enter or double click: the first packet that proves it, in the timeline"));

    tree_->setObjectName("sessions");
    tree_->setAccessibleName(tr("Sessions, connections and LUNs"));
    tree_->setModel(treeModel_);
    tree_->setAlternatingRowColors(true);
    tree_->setUniformRowHeights(true);
    tree_->setItemDelegateForColumn(SessionTreeModel::Spark, new SparkDelegate(tree_));
    tree_->setToolTip(tr("Enter or double click: only the cycles of this row"));
    connect(
        tree_, &QTreeView::activated, this,
        [this](const QModelIndex &i) { emit filterWanted(i.data(SessionTreeModel::FilterRole).toString()); });
    connect(treeModel_, &QAbstractItemModel::modelReset, this, [this] {
        tree_->expandToDepth(treeModel_->rowCount() > 8 ? 0 : 1);
        for (int c = 1; c < SessionTreeModel::Spark; ++c) {
            tree_->resizeColumnToContents(c);
        }
        tree_->setColumnWidth(0, std::clamp(tree_->width() * 4 / 10, 240, 460));
    });

    cover_->setObjectName("findingsCover");
    cover_->setAccessibleName(tr("What the findings cover"));
    cover_->setWordWrap(true);
    cover_->hide();
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    cyclesBox_ = boxed(QString(), cycles_);
    leftLayout->addWidget(cyclesBox_, 0);
    cycles_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    cycles_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    cycles_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    bars_ = new TimeBarsWidget(document);
    auto *bars = new QScrollArea;
    bars->setWidget(bars_);
    bars->setAccessibleName(tr("Where the time goes"));
    bars->setWidgetResizable(true);
    bars->setFrameShape(QFrame::NoFrame);
    bars->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    bars->viewport()->setBackgroundRole(QPalette::Window);
    barsBox_ = boxed(QString(), bars);
    leftLayout->addWidget(barsBox_, 1);

    auto *causes = new QSplitter(Qt::Vertical);
    causes->addWidget(findings_);
    auto *details = new QScrollArea;
    details->setWidget(finding_);
    details->setAccessibleName(tr("Evidence and remedy of the finding"));
    details->setWidgetResizable(true);
    details->setFrameShape(QFrame::NoFrame);
    finding_->setMargin(4);
    causes->addWidget(details);
    causes->setStretchFactor(0, 3);
    causes->setStretchFactor(1, 2);
    causes->setSizes({300, 180});

    auto *top = new QSplitter(Qt::Horizontal);
    top->addWidget(left);
    findingsBox_ = boxed(QString(), causes);
    static_cast<QVBoxLayout *>(findingsBox_->layout())->insertWidget(0, cover_);
    top->addWidget(findingsBox_);
    top->setStretchFactor(0, 3);
    top->setStretchFactor(1, 2);
    top->setSizes({640, 460});
    auto *split = new QSplitter(Qt::Vertical);
    split->addWidget(top);
    treeBox_ = boxed(QString(), tree_);
    split->addWidget(treeBox_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setSizes({540, 180});
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(new VerdictPanel(document));
    layout->addWidget(facts_);
    layout->addWidget(note_);
    layout->addWidget(split, 1);

    connect(&document, &Document::snapshotChanged, this, &OverviewView::refreshFacts);
    connect(&document, &Document::figuresChanged, this, &OverviewView::refreshFacts);
    connect(&document, &Document::figuresChanged, this, &OverviewView::refreshCycles);
    connect(&document, &Document::figuresChanged, this, &OverviewView::showScope);
    connect(findings_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &OverviewView::showFinding);
    connect(findingsModel_, &QAbstractItemModel::modelReset, this, [this] {
        if (findingsModel_->rowCount() > 0) {
            findings_->setCurrentIndex(findingsModel_->index(0));
        }
        showFinding(findings_->currentIndex());
    });
    refreshFacts();
    refreshCycles();
    showScope();
}

// Says of each box what its figures are of, where that is not the whole capture, and when they are old.
void OverviewView::showScope() {
    const bool pending = document_.figuresPending(), ranged = document_.range().has_value(),
               filtered = !document_.filters().isEmpty();
    const auto titled = [&](const QString &name) {
        QStringList parts{name};
        if (pending)
            parts << tr("counting …");
        if (!pending && ranged)
            parts << tr("of the range");
        if (!pending && filtered)
            parts << tr("of the filtered cycles");
        return parts.join(", ");
    };
    cyclesBox_->setTitle(titled(tr("Cycles, by response time")));
    barsBox_->setTitle(titled(tr("Where the time goes")));
    findingsBox_->setTitle(titled(tr("Findings")));
    treeBox_->setTitle(titled(tr("Sessions ▸ connections ▸ LUNs")));
    QStringList cover{findingsModel_->scopeWords(), findingsModel_->coverWords()};
    cover.removeAll(QString());
    if (!cover.isEmpty())
        cover.front()[0] = cover.front()[0].toUpper();
    cover_->setText(cover.join(". "));
    cover_->setVisible(!cover_->text().isEmpty());
    for (QWidget *w : {static_cast<QWidget *>(cycles_), static_cast<QWidget *>(bars_)})
        w->setEnabled(!pending);
}

void OverviewView::refreshFacts() {
    const Snapshot &s = *document_.snapshot();
    const CaptureSummary &c = s.report->capture;
    note_->setText(s.note);
    note_->setVisible(!s.note.isEmpty());
    if (s.files.isEmpty() && s.tables.cycles.size() == 0) {
        facts_->setText(tr("No capture is open. Ctrl+O opens one; files can also be dropped here."));
        return;
    }
    QString before;
    if (const auto &range = document_.range())
        before = tr("Range: %1").arg(intervalWords(range->from - s.origin, range->to - s.origin)) + '\n';
    if (document_.range() || !document_.filters().isEmpty())
        before += tr("Whole capture: ");
    QStringList parts;
    if (!s.complete)
        parts << tr("so far, after %1").arg(byteWords(s.bytesRead));
    else
        parts << tr("%1 packets").arg(countWords(c.info.frames)) << byteWords(c.info.bytes);
    parts << tr("%1 of capture").arg(durationWords(s.whole.length()))
          << QString::fromStdString(human::plural(s.tables.sessions.size(), "session", "sessions"))
          << QString::fromStdString(human::plural(s.tables.streams.size(), "connection", "connections"))
          << tr("%1 tasks").arg(countWords(s.tables.cycles.size()));
    if (s.complete && anomaly_count(*s.report) > 0)
        parts << QString::fromStdString(human::plural(anomaly_count(*s.report), "anomaly", "anomalies"));
    const auto position =
        std::find_if(s.report->connections.begin(), s.report->connections.end(),
                     [](const ConnectionRecord &r) { return r.capture_position.has_value(); });
    if (position != s.report->connections.end())
        parts << tr("taken %1").arg(QString::fromStdString(position_words(*position->capture_position)));
    facts_->setText(before + parts.join(" · "));
}

void OverviewView::refreshCycles() {
    const Report &r = *document_.figures();
    int row = 0;
    cycles_->setRowCount(0);
    for (const TaskType type : {TaskType::read, TaskType::write, TaskType::control}) {
        const TypeTally &t = r.of(type);
        if (t.count == 0)
            continue;
        const Histogram &h = t.of(CycleFigure::response_time);
        const Rates rate = rates(r, type);
        cycles_->insertRow(row);
        const QStringList texts{words(name(type)),
                                countWords(t.count),
                                byteWords(t.bytes),
                                rate.throughput ? QString::number(*rate.throughput / 1e6, 'g', 3) : "-",
                                rate.iops ? countWords(static_cast<std::uint64_t>(std::llround(*rate.iops)))
                                          : "-",
                                durationWords(asDuration(h.quantile(0.5))),
                                durationWords(asDuration(h.quantile(0.9))),
                                durationWords(asDuration(h.quantile(0.99))),
                                durationWords(asDuration(h.maximum()))};
        for (int c = 0; c < texts.size(); ++c)
            cycles_->setItem(row, c, cell(texts[c], c > 0));
        cycles_->setRowHeight(row, fontMetrics().height() + 6);
        ++row;
    }
    fitCycles();
}

// The table of cycles is as high as its rows, and its scroll bar where it has to have one.
void OverviewView::fitCycles() {
    const bool scrolls = cycles_->horizontalHeader()->length() > cycles_->viewport()->width();
    cycles_->setFixedHeight(cycles_->horizontalHeader()->sizeHint().height() +
                            std::max(cycles_->rowCount(), 1) * (fontMetrics().height() + 6) + 4 +
                            (scrolls ? cycles_->horizontalScrollBar()->sizeHint().height() : 0));
}

bool OverviewView::eventFilter(QObject *o, QEvent *e) {
    if (o == cycles_->viewport() && e->type() == QEvent::Resize)
        fitCycles();
    return QWidget::eventFilter(o, e);
}

void OverviewView::showFinding(const QModelIndex &i) {
    if (!i.isValid()) {
        finding_->setText(findingsModel_->emptyWords().toHtmlEscaped());
        return;
    }
    const Finding &f = findingsModel_->finding(i.row());
    QString html = "<p>" + QString::fromStdString(f.sentence).toHtmlEscaped() + "</p>";
    if (!f.where.empty())
        html += "<p><b>" + tr("Where:") + "</b> " + QString::fromStdString(f.where).toHtmlEscaped() + "</p>";
    if (!f.when.empty())
        html += "<p><b>" + tr("When:") + "</b> " + QString::fromStdString(f.when).toHtmlEscaped() + "</p>";
    if (!f.remedy.empty()) {
        html += "<p><b>" + tr("What to do:") + "</b> " + QString::fromStdString(f.remedy).toHtmlEscaped() +
                "</p>";
    }
    QStringList frames;
    for (const EvidenceFrame &e : f.evidence) {
        frames << QString("<a href=\"frame:%1\">%1</a> %2")
                      .arg(e.frame)
                      .arg(QString::fromStdString(e.word).toHtmlEscaped());
    }
    if (!frames.isEmpty())
        html += "<p><b>" + tr("Evidence, by frame:") + "</b> " + frames.join(", ") + "</p>";
    QStringList figures;
    for (const Figure &g : f.figures) {
        figures << QString::fromStdString(g.name).replace('_', ' ').toHtmlEscaped() + " " +
                       figureWords(g).toHtmlEscaped();
    }
    if (!figures.isEmpty())
        html += "<p><b>" + tr("Figures:") + "</b> " + figures.join("; ") + "</p>";
    finding_->setText(html);
}

} // namespace iscsiscope::gui
