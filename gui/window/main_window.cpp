// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/main_window.h"

#include "gui/document/file_state.h"
#include "gui/models/cycles/cycle_csv.h"
#include "gui/models/cycles/cycle_table_model.h"
#include "gui/models/words.h"
#include "gui/views/compare/compare_view.h"
#include "gui/views/cycles/cycle_grid.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/views/details/details_view.h"
#include "gui/views/experiment/model_view.h"
#include "gui/views/experiment/testbed_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/ladder_view.h"
#include "gui/views/marks_panel.h"
#include "gui/views/notice_bar.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/start/start_page.h"
#include "gui/views/statistics_panel.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/exports/export.h"
#include "gui/window/exports/export_job.h"
#include "gui/window/exports/export_report.h"
#include "gui/window/together_dialog.h"
#include "gui/window/window_state.h"
#include "gui/window/wireshark.h"

#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QApplication>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace iscsiscope::gui {

MainWindow::MainWindow(QWidget *parent)
    : QMainWindow(parent), tabs_(new QTabWidget), stack_(new QStackedWidget), start_(new StartPage),
      overview_(new OverviewView(document_)), timeline_(new TimelineView(document_)),
      ladder_(new LadderView(document_)), cycles_(new CyclesView(document_)),
      details_(new DetailsView(document_)), model_(new ModelView(document_)),
      compare_(new CompareView(document_)), testbed_(new TestbedView), filters_(new FilterBar(document_)),
      statistics_(new StatisticsPanel(document_)), marks_(new MarksPanel(document_)),
      fileNotice_(new NoticeBar(NoticeBar::Tone::notice, "fileNotice")),
      complaint_(new NoticeBar(NoticeBar::Tone::mistake, "complaint")), progress_(new QProgressBar),
      cancel_(new QPushButton(tr("Cancel"))), progressText_(new QLabel), pointer_(new QLabel),
      export_(new ExportJob) {
    setWindowTitle("iscsiscope");
    setAcceptDrops(true);
    tabs_->setObjectName("views");
    tabs_->setAccessibleName(tr("Views"));
    tabs_->setDocumentMode(true);
    const QList<std::pair<QWidget *, QString>> pages{{overview_, tr("Overview")}, {timeline_, tr("Timeline")},
                                                     {ladder_, tr("Ladder")},     {cycles_, tr("Cycles")},
                                                     {details_, tr("Details")},   {model_, tr("Model")},
                                                     {compare_, tr("Compare")},   {testbed_, tr("Testbed")}};
    for (const auto &[page, name] : pages) {
        if (page->accessibleName().isEmpty())
            page->setAccessibleName(name);
        tabs_->addTab(page, name);
    }
    auto *central = new QWidget;
    auto *layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(filters_);
    layout->addWidget(complaint_);
    layout->addWidget(fileNotice_);
    stack_->addWidget(tabs_);
    stack_->addWidget(start_);
    layout->addWidget(stack_, 1);
    setCentralWidget(central);
    makePanels();
    makeNotices();

    progress_->setMaximumWidth(220);
    progress_->setRange(0, 1000);
    progress_->setAccessibleName(tr("Progress of reading"));
    cancel_->setObjectName("cancel");
    cancel_->setToolTip(tr("Stops reading; what was read is kept"));
    statusBar()->addPermanentWidget(pointer_);
    statusBar()->addPermanentWidget(export_);
    connect(export_, &ExportJob::finished, this, [this](const QString &path, const QString &mistake) {
        if (mistake.isEmpty())
            say(tr("Written: %1").arg(path));
        else if (mistake == cancelledWords(path))
            say(mistake);
        else
            complain(mistake);
        emit exported(path, mistake);
    });
    statusBar()->addPermanentWidget(progressText_);
    statusBar()->addPermanentWidget(progress_);
    statusBar()->addPermanentWidget(cancel_);
    for (QWidget *w : {static_cast<QWidget *>(progress_), static_cast<QWidget *>(cancel_),
                       static_cast<QWidget *>(progressText_)})
        w->hide();
    connect(cancel_, &QPushButton::clicked, &document_, &Document::cancelLoading);
    connect(&document_, &Document::progressed, this, &MainWindow::showProgress);
    connect(&document_, &Document::loadingChanged, this, [this] {
        for (QWidget *w : {static_cast<QWidget *>(progress_), static_cast<QWidget *>(cancel_),
                           static_cast<QWidget *>(progressText_)})
            w->setVisible(document_.loading());
        progress_->setValue(0);
        progressText_->setText(tr("Reading …"));
    });
    connect(&document_, &Document::failed, this, &MainWindow::complain);
    connect(
        &document_, &Document::frameNotFound, this,
        [this](quint64 frame) {
            complain(tr("Frame %1 belongs to no iSCSI connection: it is not on the timeline. Wireshark "
                        "shows it by the display filter frame.number == %1.")
                         .arg(frame));
        });
    connect(
        &document_, &Document::opened, this,
        [this] {
            complaint_->hide();
            const QString file = document_.snapshot()->files.value(0);
            setWindowTitle(file.isEmpty() ? "iscsiscope" : QFileInfo(file).fileName() + " – iscsiscope");
            if (!file.isEmpty()) {
                addRecentFile(file);
            }
        });
    connect(&document_, &Document::snapshotChanged, this, [this] {
        if (!document_.snapshot()->note.isEmpty()) {
            say(document_.snapshot()->note);
        }
    });
    connect(overview_, &OverviewView::filterWanted, filters_, &FilterBar::apply);
    connect(overview_, &OverviewView::frameWanted, this, &MainWindow::showFrame);
    connect(details_, &DetailsView::frameWanted, this, &MainWindow::showFrame);
    connect(timeline_, &TimelineView::packetWanted, this, &MainWindow::packet);
    connect(timeline_, &TimelineView::pointedAt, pointer_, &QLabel::setText);
    connect(ladder_, &LadderView::packetWanted, this, &MainWindow::packet);
    connect(cycles_, &CyclesView::packetWanted, this, &MainWindow::packet);
    connect(statistics_, &StatisticsPanel::packetWanted, this, &MainWindow::packet);
    connect(compare_, &CompareView::failed, this, &MainWindow::complain);
    connect(compare_, &CompareView::frameWanted, this, &MainWindow::showFrame);
    connect(testbed_, &TestbedView::pairReady, this, &MainWindow::showRun);
    connect(filters_, &FilterBar::focusGivenBack, this, &MainWindow::focusView);
    // A view in front gets the keys, not the field in which it is searched, which the tabs would choose.
    connect(tabs_, &QTabWidget::currentChanged, this, [this] {
        if (const auto *edit = qobject_cast<QLineEdit *>(focusWidget());
            edit != nullptr && currentView()->isAncestorOf(edit))
            focusView();
    });
    makeActions();
    qApp->installEventFilter(this);
    tabs_->setFocus(); // keys go to the view, not into the filter
    resize(1280, 820);
    showStart();
}

MainWindow::~MainWindow() = default;

void MainWindow::open(const QStringList &files) {
    leaveStart();
    document_.open(files);
}

void MainWindow::compare(const QString &first, const QString &second) {
    document_.open({first});
    leaveStart();
    compare_->setOther({{second}});
    tabs_->setCurrentWidget(compare_);
}

void MainWindow::showRun(const QString &initiator, const QString &target) {
    if (document_.empty() && !document_.loading()) {
        compare(initiator, target);
        return;
    }
    auto *window = new MainWindow;
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->document().setRemembers(document_.remembers());
    window->keep(testbed_->ownFolder());
    window->resize(size());
    window->show();
    window->compare(initiator, target);
    say(tr("The run's captures are in a window of their own."));
}

void MainWindow::focusView() {
    // Not by focus proxies: Tab would then go to the proxy and never to what lies before it.
    QWidget *to = currentView();
    if (to == timeline_)
        to = &timeline_->plot();
    else if (to == cycles_)
        to = &cycles_->grid();
    else if (to == details_)
        to = &details_->list();
    else if (to == start_)
        to = start_->firstFocus();
    to->setFocus(Qt::OtherFocusReason);
}

void MainWindow::stepOut() {
    if (filters_->stepOut())
        return;
    // A field that searches: its text, then its focus.
    if (auto *edit = qobject_cast<QLineEdit *>(QApplication::focusWidget());
        edit != nullptr && edit != &filters_->edit() && edit->isClearButtonEnabled()) {
        if (edit->text().isEmpty())
            focusView();
        else
            edit->clear();
        return;
    }
    if (complaint_->isVisible())
        complaint_->hide();
    else if (startShown() && !document_.empty())
        leaveStart();
    else
        document_.clear();
}

void MainWindow::showFrame(quint64 frame) {
    document_.findFrame(frame);
    leaveStart();
    tabs_->setCurrentWidget(timeline_);
}

void MainWindow::zoom(double factor) {
    if (currentView() == ladder_)
        ladder_->zoom(factor);
    else
        document_.zoomAt(document_.view().from + document_.view().length() / 2, factor);
}

void MainWindow::pan(double share) {
    if (currentView() == ladder_)
        ladder_->pan(share);
    else
        document_.pan(cutToNs(inNs(document_.view().length()) * share));
}

void MainWindow::showProgress(const LoadProgress &p) {
    if (const auto share = p.share()) {
        progress_->setRange(0, 1000);
        progress_->setValue(static_cast<int>(*share * 1000));
    } else {
        progress_->setRange(0, 0);
    }
    QString text = tr("%1 packets, %2").arg(countWords(p.frames), rateWords(p.bytesPerSecond));
    if (p.secondsLeft)
        text += tr(", %1 left").arg(durationWords(cutToNs(*p.secondsLeft * 1e9)));
    progressText_->setText(text);
}

void MainWindow::packet(OptionalFrame wanted) {
    const Snapshot &now = *document_.snapshot();
    if (!wanted || now.files.isEmpty()) {
        say(tr("Select a cycle or packet first."));
        return;
    }
    const FrameNumber frame = *wanted;
    if (now.filesAre == FileUnion::merged) {
        complain(
            tr("The packets of merged files are in no single file that Wireshark could open. This makes one, "
               "with the same frame numbers:\nmergecap -w merged.pcapng %1")
                .arg(now.files.join(' ')));
        return;
    }
    QString file = now.files.front();
    FrameNumber before = 0; // frames of the files before it
    for (const CaptureFile &f : now.report->capture.files) {
        if (f.first_frame && *f.first_frame <= frame) { // of a ring buffer: the file that holds it
            file = QString::fromStdString(f.path);
            before = *f.first_frame - 1;
        }
    }
    const auto cycle = document_.selection().cycle;
    const QString filter = cycle ? cycleFilter(now.tables, *cycle, frame, before) : QString();
    if (const auto mistake = openInWireshark(file, frame - before, filter))
        complain(*mistake);
    else
        say(tr("Frame %1 in Wireshark").arg(frame));
}

void MainWindow::askOpen() {
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Open captures"), {},
        tr("Captures (*.pcap *.pcapng *.cap *.pcap.gz *.pcapng.gz *.pcap.zst *.pcapng.zst);;All files (*)"));
    openOrAsk(files);
}

void MainWindow::askExport(const QString &title, const QString &filter, const QString &suggested,
                           const std::function<void(const QString &)> &write) {
    const QString path = QFileDialog::getSaveFileName(this, title, suggested, filter);
    if (!path.isEmpty())
        write(path);
}

std::optional<QString> MainWindow::exportPictureTo(const QString &path) {
    return exportPicture(*currentView(), path);
}

void MainWindow::startExport(const QString &path, ExportJob::Work work) {
    if (!export_->start(path, std::move(work)))
        complain(tr("Another file is being written. Wait for it, or cancel it."));
}

void MainWindow::exportCsvTo(const QString &path) {
    startExport(
        path,
        [snapshot = cycles_->model().snapshot(), rows = cycles_->model().rows(),
         path](const std::atomic<bool> &stop, std::atomic<double> &share) {
            return writeCyclesCsv(*snapshot, *rows, path, stop, share);
        });
}

void MainWindow::exportReportTo(const QString &path) {
    FigureRequest request;
    static_cast<CaptureFiles &>(request) = *document_.snapshot();
    request.filter = document_.filterExpression();
    if (const auto &r = document_.range())
        request.range = rangeOf(r->from, r->to, document_.snapshot()->origin);
    startExport(path, [request, path, snapshot = document_.snapshot()](const std::atomic<bool> &stop,
                                                                       std::atomic<double> &share) {
        // The page is made of the files, and must say what the window says.
        if (!changesOf(snapshot->states, statesOf(request.files)).changed.empty())
            return std::optional(tr("The report is not written: the capture has changed since it was read. "
                                    "Reload it (F5) first."));
        return writeHtmlReport(request, path, stop, share);
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent *e) {
    if (e->mimeData()->hasUrls())
        e->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *e) {
    QStringList files;
    for (const QUrl &url : e->mimeData()->urls())
        if (url.isLocalFile())
            files << url.toLocalFile();
    e->acceptProposedAction();
    openOrAsk(files);
}

void MainWindow::openOrAsk(const QStringList &files) {
    if (files.size() != 2) {
        if (!files.isEmpty())
            open(files);
        return;
    }
    auto *dialog = new TogetherDialog(files[0], files[1], this);
    connect(dialog, &TogetherDialog::chosen, this,
            [this, files](CaptureRelation r) { openTogether(files, r); });
    dialog->open();
}

void MainWindow::openTogether(const QStringList &files, CaptureRelation relation) {
    leaveStart();
    if (relation == CaptureRelation::parts || relation == CaptureRelation::halves)
        document_.open(files, relation == CaptureRelation::parts ? FileUnion::joined : FileUnion::merged);
    else
        compare(files.value(0), files.value(1));
}

bool MainWindow::eventFilter(QObject *o, QEvent *e) {
    // A panel that is closed stays closed in other views too.
    if (auto *dock = qobject_cast<QDockWidget *>(o); dock != nullptr && e->type() == QEvent::Close)
        panels_.removeAll(dock->objectName());
    // Keys that move within sliders, lists, trees and tabs stay theirs where those have the focus.
    if (e->type() == QEvent::ShortcutOverride &&
        (qobject_cast<QAbstractSlider *>(o) != nullptr || qobject_cast<QAbstractItemView *>(o) != nullptr ||
         qobject_cast<QTabBar *>(o) != nullptr)) {
        const auto *key = static_cast<QKeyEvent *>(e);
        if (key->modifiers() == Qt::NoModifier &&
            (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right)) {
            e->accept();
            return true;
        }
    }
    return QMainWindow::eventFilter(o, e);
}

void MainWindow::closeEvent(QCloseEvent *e) {
    saveLayout(*this);
    document_.cancelLoading();
    export_->cancel();
    testbed_->cancel();
    QMainWindow::closeEvent(e);
}

void MainWindow::say(const QString &text) {
    statusBar()->showMessage(text, 10'000);
}

void MainWindow::complain(const QString &sentence) {
    complaint_->show(sentence, {{tr("Close"), tr("Close the message"),
                                 [this] {
                                     complaint_->hide();
                                     focusView();
                                 }}});
}

} // namespace iscsiscope::gui
