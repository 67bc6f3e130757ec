// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/overview/overview_view.h"

#include "gui/models/findings_model.h"
#include "gui/models/session_tree_model.h"
#include "gui/models/words.h"
#include "gui/views/overview/finding_delegate.h"
#include "gui/views/overview/spark_delegate.h"
#include "gui/views/time_bars_widget.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/report/wording.h"

#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QScrollArea>
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

QTableWidgetItem *cell(const QString &text, bool right) {
    auto *item = new QTableWidgetItem(text);
    item->setTextAlignment(right ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    return item;
}

} // namespace

OverviewView::OverviewView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), facts_(new QLabel), note_(new QLabel), finding_(new QLabel),
      cycles_(new QTableWidget), findings_(new QListView), findingsModel_(new FindingsModel(document, this)),
      treeModel_(new SessionTreeModel(document, this)), tree_(new QTreeView) {
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
    cycles_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    cycles_->horizontalHeader()->setStretchLastSection(true);
    const QString meanings[] = {
        meaningOf("type"),          meaningOf("report.tasks"),  meaningOf("bytes"),
        meaningOf("throughput"),    meaningOf("iops"),          responseTimeMeaning("p50"),
        responseTimeMeaning("p90"), responseTimeMeaning("p99"), responseTimeMeaning("distribution.max")};
    for (int i = 0; i < cycles_->columnCount(); ++i)
        cycles_->horizontalHeaderItem(i)->setToolTip(meanings[i]);

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
    connect(finding_, &QLabel::linkActivated, this, [this](const QString &link) {
        emit frameWanted(link.mid(QString("frame:").size()).toULongLong());
    });

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

    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->addWidget(boxed(tr("Cycles, by response time"), cycles_), 0);
    cycles_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    cycles_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    cycles_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *bars = new QScrollArea;
    bars->setWidget(new TimeBarsWidget(document));
    bars->setAccessibleName(tr("Where the time goes"));
    bars->setWidgetResizable(true);
    bars->setFrameShape(QFrame::NoFrame);
    bars->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    bars->viewport()->setBackgroundRole(QPalette::Window);
    leftLayout->addWidget(boxed(tr("Where the time goes"), bars), 1);

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
    top->addWidget(boxed(tr("Findings, by lost time"), causes));
    top->setStretchFactor(0, 3);
    top->setStretchFactor(1, 2);
    top->setSizes({640, 460});
    auto *split = new QSplitter(Qt::Vertical);
    split->addWidget(top);
    split->addWidget(boxed(tr("Sessions ▸ connections ▸ LUNs"), tree_));
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({480, 220});
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(facts_);
    layout->addWidget(note_);
    layout->addWidget(split, 1);

    connect(&document, &Document::snapshotChanged, this, &OverviewView::refreshFacts);
    connect(&document, &Document::figuresChanged, this, &OverviewView::refreshCycles);
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
    QStringList parts;
    if (!s.complete)
        parts << tr("so far, after %1").arg(byteWords(s.bytesRead));
    else
        parts << tr("%1 packets").arg(countWords(c.info.frames)) << byteWords(c.info.bytes);
    parts << tr("%1 of capture").arg(durationWords(s.whole.length()))
          << QString::fromStdString(human::plural(s.tables.sessions.size(), "session", "sessions"))
          << QString::fromStdString(human::plural(s.tables.streams.size(), "connection", "connections"))
          << tr("%1 tasks").arg(countWords(s.tables.cycles.size()));
    if (s.complete && s.report->anomaly_count() > 0)
        parts << QString::fromStdString(human::plural(s.report->anomaly_count(), "anomaly", "anomalies"));
    const auto position =
        std::find_if(s.report->connections.begin(), s.report->connections.end(),
                     [](const ConnectionRecord &r) { return r.capture_position.has_value(); });
    if (position != s.report->connections.end())
        parts << tr("taken %1").arg(QString::fromStdString(position_words(*position->capture_position)));
    facts_->setText(parts.join(" · "));
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
                                durationWords(h.quantile(0.5)),
                                durationWords(h.quantile(0.9)),
                                durationWords(h.quantile(0.99)),
                                durationWords(h.maximum())};
        for (int c = 0; c < texts.size(); ++c)
            cycles_->setItem(row, c, cell(texts[c], c > 0));
        cycles_->setRowHeight(row, fontMetrics().height() + 6);
        ++row;
    }
    cycles_->setFixedHeight(cycles_->horizontalHeader()->sizeHint().height() +
                            std::max(row, 1) * (fontMetrics().height() + 6) + 4);
}

void OverviewView::showFinding(const QModelIndex &i) {
    if (!i.isValid()) {
        finding_->setText(findingsModel_->emptyWords().toHtmlEscaped());
        return;
    }
    const Finding &f = findingsModel_->finding(i.row());
    QString html = "<p>" + QString::fromStdString(f.sentence).toHtmlEscaped() + "</p>";
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
